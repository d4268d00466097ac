// Element types, layouts and spaces. The sizes that the arena must have stand in check.sh.

// An i1 takes a byte each, so two of 8 need 16 bytes each (the least alignment) but the last.
func.func @bits() {
  %a = memref.alloc() : memref<8xi1>
  %b = memref.alloc() : memref<8xi1>
  memref.dealloc %a : memref<8xi1>
  memref.dealloc %b : memref<8xi1>
  return
}

// An index is as wide as the data layout says, an i24 takes 4 bytes, a vector of 4 floats 16.
func.func @wide() {
  %a = memref.alloc() : memref<4xindex>
  %b = memref.alloc() : memref<4xi24>
  %c = memref.alloc() : memref<2xvector<4xf32>>
  memref.dealloc %a : memref<4xindex>
  memref.dealloc %b : memref<4xi24>
  memref.dealloc %c : memref<2xvector<4xf32>>
  return
}

// Another space and a layout are left alone.
func.func @apart() {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32, 1>
  %c = memref.alloc() : memref<8x8xf32, strided<[16, 1]>>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32, 1>
  memref.dealloc %c : memref<8x8xf32, strided<[16, 1]>>
  return
}

// The arena is freed at both exits.
func.func @exits(%c: i1) {
  %a = memref.alloc() : memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  cf.cond_br %c, ^one, ^two
^one:
  return
^two:
  return
}
