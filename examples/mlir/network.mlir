// A small network on tensors: three layers, the middle one by one of two ways, and a loop of refinements. It is
// bufferized by MLIR's own passes; main prints some of the outputs for two inputs, which take different ways.

#all = affine_map<(i, j) -> (i, j)>

func.func private @network(%x: tensor<64x64xf32>, %first: tensor<64x64xf32>, %last: tensor<64x64xf32>, %deep: i1)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h0 = linalg.matmul ins(%x, %first : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f0 : tensor<64x64xf32>)
    -> tensor<64x64xf32>
  %h1 = scf.if %deep -> (tensor<64x64xf32>) {
    %e1 = tensor.empty() : tensor<64x64xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m1 = linalg.matmul ins(%h0, %first : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f1 : tensor<64x64xf32>)
      -> tensor<64x64xf32>
    %e2 = tensor.empty() : tensor<64x64xf32>
    %r1 = linalg.max ins(%m1, %f1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e2 : tensor<64x64xf32>)
      -> tensor<64x64xf32>
    scf.yield %r1 : tensor<64x64xf32>
  } else {
    %e1 = tensor.empty() : tensor<64x64xf32>
    %r1 = linalg.add ins(%h0, %h0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e1 : tensor<64x64xf32>)
      -> tensor<64x64xf32>
    scf.yield %r1 : tensor<64x64xf32>
  }
  %h2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %h1) -> (tensor<64x64xf32>) {
    %e1 = tensor.empty() : tensor<64x64xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m1 = linalg.matmul ins(%h, %first : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f1 : tensor<64x64xf32>)
      -> tensor<64x64xf32>
    %n1 = linalg.add ins(%m1, %h0 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%h : tensor<64x64xf32>)
      -> tensor<64x64xf32>
    scf.yield %n1 : tensor<64x64xf32>
  }
  %e3 = tensor.empty() : tensor<64x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%h2, %last : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f3 : tensor<64x64xf32>)
    -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// Small numbers that differ from place to place.
func.func private @made(%scale: f32) -> tensor<64x64xf32> {
  %empty = tensor.empty() : tensor<64x64xf32>
  %made = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<64x64xf32>) {
    ^bb0(%old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c7 = arith.constant 7 : index
      %c5 = arith.constant 5 : index
      %a = arith.muli %i, %c7 : index
      %b = arith.addi %a, %j : index
      %d = arith.remui %b, %c5 : index
      %e = arith.index_cast %d : index to i32
      %f = arith.sitofp %e : i32 to f32
      %g = arith.mulf %f, %scale : f32
      linalg.yield %g : f32
  } -> tensor<64x64xf32>
  return %made : tensor<64x64xf32>
}

func.func @main() {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %c5 = arith.constant 5 : index
  %small = arith.constant 0.0078125 : f32
  %large = arith.constant 0.5 : f32
  %first = func.call @made(%small) : (f32) -> tensor<64x64xf32>
  %x = func.call @made(%large) : (f32) -> tensor<64x64xf32>
  %y0 = func.call @network(%x, %first, %first, %false)
    : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, i1) -> tensor<64x64xf32>
  %y1 = func.call @network(%x, %first, %first, %true)
    : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, i1) -> tensor<64x64xf32>
  %a = tensor.extract %y0[%c0, %c0] : tensor<64x64xf32>
  %b = tensor.extract %y0[%c9, %c5] : tensor<64x64xf32>
  %c = tensor.extract %y1[%c0, %c0] : tensor<64x64xf32>
  %d = tensor.extract %y1[%c9, %c5] : tensor<64x64xf32>
  vector.print %a : f32
  vector.print %b : f32
  vector.print %c : f32
  vector.print %d : f32
  return
}
