// An arena from the caller: 12,288 bytes are needed, at a multiple of 64.

func.func @enough(%arena: memref<12288xi8>) {
  %a = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2048xf32>
  %b = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<1024xf32>
  memref.dealloc %a : memref<2048xf32>
  memref.dealloc %b : memref<1024xf32>
  return
}
