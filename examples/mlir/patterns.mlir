// The patterns of tests/flow_patterns.rs as MLIR, one function each: those of the tests of MLIR's static memory planner
// (the numbers, E and B), and further ones. Alignments are in the generic syntax, which every version of MLIR reads.

// 1: one after the other
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<512xf32>
  memref.dealloc %b : memref<512xf32>
  return
}

// -----

// 2: at the same time
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<512xf32>
  memref.dealloc %a : memref<1024xf32>
  memref.dealloc %b : memref<512xf32>
  return
}

// -----

// 3: three, the first freed early
func.func @pattern() {
  %a = memref.alloc() : memref<512xf32>
  %b = memref.alloc() : memref<256xf32>
  memref.dealloc %a : memref<512xf32>
  %d = memref.alloc() : memref<128xf32>
  memref.dealloc %b : memref<256xf32>
  memref.dealloc %d : memref<128xf32>
  return
}

// -----

// 4: a dynamic one, never freed
func.func @pattern(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// 5: three sequential ones
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<512xf32>
  memref.dealloc %b : memref<512xf32>
  %d = memref.alloc() : memref<2048xf32>
  memref.dealloc %d : memref<2048xf32>
  return
}

// -----

// 6: three alignments
func.func @pattern() {
  %a = "memref.alloc"() <{alignment = 128 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<256xf32>
  memref.dealloc %a : memref<256xf32>
  %b = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128xf32>
  memref.dealloc %b : memref<128xf32>
  %d = "memref.alloc"() <{alignment = 128 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  return
}

// -----

// 7: padding
func.func @pattern() {
  %a = "memref.alloc"() <{alignment = 4 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<3xf32>
  %b = "memref.alloc"() <{alignment = 16 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<3xf32>
  memref.dealloc %a : memref<3xf32>
  memref.dealloc %b : memref<3xf32>
  return
}

// -----

// 8: a select of the same
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %a : memref<1024xf32>
  memref.dealloc %s : memref<1024xf32>
  return
}

// -----

// 9: a select of two, freed
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %b : memref<1024xf32>
  memref.dealloc %s : memref<1024xf32>
  return
}

// -----

// 10: two selects, both freed
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %b : memref<1024xf32>
  %t = arith.select %c, %b, %a : memref<1024xf32>
  memref.dealloc %s : memref<1024xf32>
  memref.dealloc %t : memref<1024xf32>
  return
}

// -----

// 11: deallocs in two ifs
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  scf.if %c {
    memref.dealloc %a : memref<1024xf32>
  }
  scf.if %c {
    memref.dealloc %b : memref<1024xf32>
  }
  return
}

// -----

// 12: an if swaps two
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %x:2 = scf.if %c -> (memref<1024xf32>, memref<1024xf32>) {
    scf.yield %a, %b : memref<1024xf32>, memref<1024xf32>
  } else {
    scf.yield %b, %a : memref<1024xf32>, memref<1024xf32>
  }
  memref.dealloc %x#0 : memref<1024xf32>
  memref.dealloc %x#1 : memref<1024xf32>
  return
}

// -----

// 13: all of it in an if
func.func @pattern(%c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
  }
  return
}

// -----

// 14: replaced in an if
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %x = scf.if %c -> (memref<1024xf32>) {
    memref.dealloc %a : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    scf.yield %b : memref<1024xf32>
  } else {
    scf.yield %a : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// 15: all of it in a loop
func.func @pattern(%i: index, %j: index, %k: index) {
  scf.for %n = %i to %j step %k {
    %a = memref.alloc() : memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
  }
  return
}

// -----

// 16: a loop replaces what it carries
func.func @pattern(%i: index, %j: index, %k: index) {
  %a = memref.alloc() : memref<1024xf32>
  %x = scf.for %n = %i to %j step %k iter_args(%p = %a) -> (memref<1024xf32>) {
    memref.dealloc %p : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    scf.yield %b : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// 17: a loop leaks what it carries
func.func @pattern(%i: index, %j: index, %k: index) {
  %a = memref.alloc() : memref<1024xf32>
  %x = scf.for %n = %i to %j step %k iter_args(%p = %a) -> (memref<1024xf32>) {
    %b = memref.alloc() : memref<1024xf32>
    scf.yield %b : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// 18: a loop frees one from outside
func.func @pattern(%i: index, %j: index, %k: index) {
  %a = memref.alloc() : memref<1024xf32>
  %x = scf.for %n = %i to %j step %k iter_args(%p = %a) -> (memref<1024xf32>) {
    memref.dealloc %a : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    scf.yield %b : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// 19: static and dynamic
func.func @pattern(%n: index) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<1024xf32>
  return
}

// -----

// 20: both branches free it
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  scf.if %c {
    memref.dealloc %a : memref<1024xf32>
  } else {
    memref.dealloc %a : memref<1024xf32>
  }
  return
}

// -----

// 21: freed three ifs deep
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  scf.if %c {
    scf.if %c {
      scf.if %c {
        memref.dealloc %a : memref<1024xf32>
      }
    }
  }
  return
}

// -----

// 22: a chain of ifs
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %x = scf.if %c -> (memref<1024xf32>) {
    scf.yield %a : memref<1024xf32>
  } else {
    scf.yield %b : memref<1024xf32>
  }
  %y = scf.if %c -> (memref<1024xf32>) {
    scf.yield %x : memref<1024xf32>
  } else {
    scf.yield %a : memref<1024xf32>
  }
  memref.dealloc %y : memref<1024xf32>
  return
}

// -----

// 23: a select into an if
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %b : memref<1024xf32>
  %x = scf.if %c -> (memref<1024xf32>) {
    scf.yield %s : memref<1024xf32>
  } else {
    scf.yield %a : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// 24: one freed in an if, one beside
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<512xf32>
  scf.if %c {
    memref.dealloc %a : memref<1024xf32>
  }
  memref.dealloc %b : memref<512xf32>
  return
}

// -----

// 25: freed in a nested else
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  scf.if %c {
    scf.if %c {
    } else {
      memref.dealloc %a : memref<1024xf32>
    }
  }
  return
}

// -----

// 26: a loop reads two
func.func @pattern(%i: index, %j: index, %k: index) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  scf.for %n = %i to %j step %k {
    %u = memref.load %a[%n] : memref<1024xf32>
    %v = memref.load %b[%n] : memref<1024xf32>
  }
  memref.dealloc %a : memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  return
}

// -----

// E1: never freed
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  return
}

// -----

// E2: freed in the next block
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  cf.br ^next
^next:
  memref.dealloc %a : memref<1024xf32>
  return
}

// -----

// E3: a bad one first
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  return
}

// -----

// E4: freed in one of two successors
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.dealloc %a : memref<1024xf32>
  cf.br ^two
^two:
  return
}

// -----

// B1: the same twice
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  memref.dealloc %b : memref<1024xf32>
  return
}

// -----

// B2: best-fit at the same time
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<512xf32>
  memref.dealloc %b : memref<512xf32>
  memref.dealloc %a : memref<1024xf32>
  return
}

// -----

// B3: the smaller tail beats the larger hole
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<256xf32>
  %d = memref.alloc() : memref<1024xf32>
  %e = memref.alloc() : memref<256xf32>
  memref.dealloc %b : memref<256xf32>
  memref.dealloc %e : memref<256xf32>
  memref.dealloc %a : memref<1024xf32>
  %f = memref.alloc() : memref<128xf32>
  memref.dealloc %d : memref<1024xf32>
  memref.dealloc %f : memref<128xf32>
  return
}

// -----

// B4: aligned holes
func.func @pattern() {
  %a = "memref.alloc"() <{alignment = 128 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128xi8>
  %b = "memref.alloc"() <{alignment = 1 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<56xi8>
  %d = "memref.alloc"() <{alignment = 128 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128xi8>
  memref.dealloc %b : memref<56xi8>
  %e = "memref.alloc"() <{alignment = 128 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xi8>
  %f = "memref.alloc"() <{alignment = 256 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64xi8>
  memref.dealloc %a : memref<128xi8>
  memref.dealloc %d : memref<128xi8>
  memref.dealloc %e : memref<64xi8>
  memref.dealloc %f : memref<64xi8>
  return
}

// -----

// X1: a loop swaps two, both freed
func.func @pattern(%i: index, %j: index, %k: index) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %x:2 = scf.for %n = %i to %j step %k iter_args(%p = %a, %q = %b) -> (memref<1024xf32>, memref<1024xf32>) {
    scf.yield %q, %p : memref<1024xf32>, memref<1024xf32>
  }
  memref.dealloc %x#0 : memref<1024xf32>
  memref.dealloc %x#1 : memref<1024xf32>
  return
}

// -----

// X2: freed through a cast
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %s = memref.cast %a : memref<1024xf32> to memref<?xf32>
  memref.dealloc %s : memref<?xf32>
  return
}

// -----

// X3: freed in blocks inside of an operation
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  scf.execute_region {
    cf.br ^next
    ^next:
    memref.dealloc %a : memref<1024xf32>
    scf.yield
  }
  return
}

// -----

// X4: nested and never freed
func.func @pattern(%c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<1024xf32>
  }
  return
}

// -----

// X5: freed behind a block argument
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  cf.br ^next(%a : memref<1024xf32>)
^next(%p: memref<1024xf32>):
  memref.dealloc %p : memref<1024xf32>
  return
}

// -----

// X6: allocated in the second block
func.func @pattern() {
  cf.br ^next
^next:
  %a = memref.alloc() : memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  return
}

// -----

// X7: freed through a while
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %x = scf.while (%p = %a) : (memref<1024xf32>) -> (memref<1024xf32>) {
    scf.condition(%c) %p : memref<1024xf32>
  } do {
    ^bb0(%q: memref<1024xf32>):
    scf.yield %q : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// X9: no bytes, and four
func.func @pattern() {
  %a = memref.alloc() : memref<0xf32>
  %b = memref.alloc() : memref<f32>
  memref.dealloc %a : memref<0xf32>
  memref.dealloc %b : memref<f32>
  return
}

// -----

// H1: used where it is not freed
func.func @pattern(%c: i1, %d: i1, %i: index) {
  %a = memref.alloc() : memref<1024xf32>
  scf.if %c {
    memref.dealloc %a : memref<1024xf32>
  }
  %b = memref.alloc() : memref<1024xf32>
  %v = memref.load %b[%i] : memref<1024xf32>
  scf.if %d {
    %u = memref.load %a[%i] : memref<1024xf32>
  }
  memref.dealloc %b : memref<1024xf32>
  return
}

// -----

// H2: freed with a shared one
func.func @pattern(%c: i1) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %b : memref<1024xf32>
  memref.dealloc %s : memref<1024xf32>
  %x = scf.if %c -> (memref<1024xf32>) {
    %n = memref.alloc() : memref<1024xf32>
    scf.yield %n : memref<1024xf32>
  } else {
    scf.yield %b : memref<1024xf32>
  }
  memref.dealloc %x : memref<1024xf32>
  return
}

// -----

// H3: freed with a dynamic one
func.func @pattern(%c: i1, %n: index) {
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %v = memref.cast %a : memref<1024xf32> to memref<?xf32>
  %s = arith.select %c, %v, %b : memref<?xf32>
  memref.dealloc %s : memref<?xf32>
  return
}

// -----

// H4: freed with an argument
func.func @pattern(%c: i1, %m: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  %s = arith.select %c, %a, %m : memref<1024xf32>
  memref.dealloc %s : memref<1024xf32>
  return
}

// -----

// H7: bytes, then floats
func.func @pattern() {
  %a = memref.alloc() : memref<3xi8>
  %b = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<3xi8>
  memref.dealloc %b : memref<4xf32>
  return
}

// -----

// H19: freed after a realloc
func.func @pattern() {
  %a = memref.alloc() : memref<1024xf32>
  %r = memref.realloc %a : memref<1024xf32> to memref<2048xf32>
  memref.dealloc %r : memref<2048xf32>
  return
}

// -----

// MLIR's future work: replaced after both were needed
func.func @pattern(%c: i1, %i: index, %z: f32) {
  %a = memref.alloc() : memref<1024xf32>
  memref.store %z, %a[%i] : memref<1024xf32>
  %x = scf.if %c -> (memref<1024xf32>) {
    %b = memref.alloc() : memref<1024xf32>
    memref.store %z, %b[%i] : memref<1024xf32>
    memref.dealloc %a : memref<1024xf32>
    scf.yield %b : memref<1024xf32>
  } else {
    scf.yield %a : memref<1024xf32>
  }
  %v = memref.load %x[%i] : memref<1024xf32>
  memref.dealloc %x : memref<1024xf32>
  return
}
