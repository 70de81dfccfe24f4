(* SPDX-License-Identifier: GPL-2.0 *)
(* Recursion through known functions, for so many seconds of processor time. *)

let[@inline never] grind rounds seed =
  let x = ref seed in
  for _ = 1 to rounds do
    x := !x lxor (!x lsl 13);
    x := !x lxor (!x lsr 7)
  done;
  !x

(* The addition behind the call keeps it from becoming a jump. *)
let rec descend depth seed =
  if depth = 0 then grind 20000 seed
  else 1 + descend (depth - 1) (seed + depth)

let () =
  let seconds = float_of_string Sys.argv.(1) in
  let sink = ref 1 in
  while Sys.time () < seconds do
    sink := descend 30 (!sink lor 1)
  done;
  if !sink = 0 then print_newline ()
