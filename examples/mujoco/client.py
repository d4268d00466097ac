"""MuJoCo and MuJoCo Warp as clients of aether.

  client.py digest SCENE STEPS         a line for each step: a hash of the state and of all island arrays
  client.py maps LIBAETHER SCENE STEPS labels and maps of aether against MuJoCo's, by ctypes, at every step
  client.py warp LIBAETHER STEPS       labels of aether's batch against those of MuJoCo Warp on its CPU device

`maps` and `warp` need merge.c preloaded, which records the incidences. See scripts/clients.
"""

import ctypes
import hashlib
import sys

import mujoco
import numpy as np

from scenes import SCENES

PUSH = 3.0
ARRAYS = (
    "tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv island_idofadr island_dofadr "
    "map_dof2idof map_idof2dof efc_island island_ne island_nf island_nefc island_iefcadr map_efc2iefc map_iefc2efc"
).split()


def start(scene, seed=0):
    """The scene with its movable parts set in motion."""
    model = mujoco.MjModel.from_xml_string(scene)
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(seed).uniform(-0.1, 0.1, model.nv)
    data.qvel[0] = PUSH
    return model, data


def digest(name, steps):
    model, data = start(SCENES[name]())
    for step in range(steps):
        mujoco.mj_step(model, data)
        state = hashlib.sha256()
        for array in ["qpos", "qvel"] + ARRAYS:
            state.update(np.ascontiguousarray(getattr(data, array)).tobytes())
        print(step, data.nisland, data.nidof, state.hexdigest())


class Aether:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, *arguments):
        as_c = lambda a: ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a
        status = getattr(self.library, name)(*map(as_c, arguments), None)
        assert status == 0, (name, status)

    def islands(self, nodes, incidences, weights):
        """Labels, number of islands, sum of weights; by the resumable form in pieces of 256."""
        parents, labels = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
        marks, count, total = np.empty(nodes, np.uint8), np.zeros(1, np.uintp), np.zeros(1, np.int64)
        size = ctypes.c_size_t
        self.call("aether_islands_begin", size(nodes), parents, marks)
        for begin in range(0, len(incidences), 256):
            piece = np.ascontiguousarray(incidences[begin : begin + 256])
            self.call("aether_islands_merge", size(nodes), parents, marks, piece, size(len(piece)), None, 0)
        self.call("aether_islands_finish", size(nodes), parents, marks, labels, weights, count, total)
        return labels, int(count[0]), int(total[0])

    def group(self, labels, label_count):
        """Counts, starts, order, inverse, and how many items have a label."""
        labels, size = np.ascontiguousarray(labels, np.int32), ctypes.c_size_t
        counts, starts = np.empty(label_count, np.int32), np.empty(label_count, np.int32)
        order, inverse, labelled = np.empty(len(labels), np.int32), np.empty(len(labels), np.int32), np.zeros(1, np.uintp)
        self.call(
            "aether_group_by_label", labels, size(len(labels)), size(label_count), counts, starts, order, inverse, labelled
        )
        return counts, starts, order, inverse, int(labelled[0])


class Recorder:
    """What the preloaded merge saw."""

    def __init__(self):
        program = ctypes.CDLL(None)
        self.count = ctypes.c_size_t.in_dll(program, "aether_recorded_count")
        self.pairs = (ctypes.c_int32 * 2 * (1 << 20)).in_dll(program, "aether_recorded")

    def take(self):
        pairs = np.ctypeslib.as_array(self.pairs)[: self.count.value].copy()
        self.count.value = 0
        return pairs


def same(what, got, want):
    want = np.asarray(want)
    assert np.array_equal(np.asarray(got)[: len(want)] if len(got) > len(want) else got, want), (what, got, want)


def maps(path, name, steps):
    aether, recorder = Aether(path), Recorder()
    model, data = start(SCENES[name]())
    largest, incidences = 0, 0
    for _ in range(steps):
        recorder.take()
        mujoco.mj_step(model, data)
        pairs = recorder.take()
        labels, count, dofs = aether.islands(model.ntree, pairs, np.ascontiguousarray(model.tree_dofnum, np.int32))
        if not count:
            # Without an island MuJoCo leaves its arrays as they were.
            assert data.nisland == 0
            continue
        assert (count, dofs) == (data.nisland, data.nidof), (count, dofs, data.nisland, data.nidof)
        same("tree_island", labels, data.tree_island)
        counts, starts, order, _, _ = aether.group(labels, count)
        same("island_ntree", counts, data.island_ntree)
        same("island_itreeadr", starts, data.island_itreeadr)
        same("map_itree2tree", order, data.map_itree2tree)
        dof_labels = labels[model.dof_treeid]
        counts, starts, order, inverse, labelled = aether.group(dof_labels, count)
        assert labelled == data.nidof
        same("dof_island", dof_labels, data.dof_island)
        same("island_nv", counts, data.island_nv)
        same("island_idofadr", starts, data.island_idofadr)
        same("map_idof2dof", order, data.map_idof2dof)
        same("map_dof2idof", inverse, data.map_dof2idof)
        counts, starts, order, inverse, _ = aether.group(data.efc_island[: data.nefc], count)
        same("island_nefc", counts, data.island_nefc)
        same("island_iefcadr", starts, data.island_iefcadr)
        same("map_iefc2efc", order, data.map_iefc2efc)
        same("map_efc2iefc", inverse, data.map_efc2iefc)
        largest, incidences = max(largest, count), incidences + len(pairs)
    assert incidences > 0
    print(f"{name}: {steps} steps, {incidences} incidences, up to {largest} islands")


def warp(path, steps):
    import warp as wp

    wp.config.quiet = True
    import mujoco_warp

    aether, recorder = Aether(path), Recorder()
    scene, worlds = SCENES["spheres"](24), 16
    with wp.ScopedDevice("cpu"):
        states = []
        for world in range(worlds):
            model, data = start(scene, seed=world)
            for _ in range(steps + 20 * world):
                mujoco.mj_step(model, data)
            recorder.take()
            mujoco.mj_forward(model, data)
            states.append((data, recorder.take()))
        on_device = mujoco_warp.put_model(model)
        batch = mujoco_warp.put_data(model, states[0][0], nworld=worlds, nconmax=200, njmax=1000)
        wp.copy(batch.qpos, wp.array(np.array([data.qpos for data, _ in states], np.float32), dtype=float))
        wp.copy(batch.qvel, wp.array(np.array([data.qvel for data, _ in states], np.float32), dtype=float))
        mujoco_warp.forward(on_device, batch)
        mujoco_warp.island(on_device, batch)
        wanted, counts_of_warp = batch.tree_island.numpy(), batch.nisland.numpy()

    counts = np.array([len(pairs) for _, pairs in states], np.uintp)
    stride, nodes, size = int(counts.max()) + 5, model.ntree, ctypes.c_size_t
    incidences = np.full((worlds, stride, 2), 0x7B7B7B7B, np.int32)
    for world, (_, pairs) in enumerate(states):
        incidences[world, : len(pairs)] = pairs
    labels, islands = np.empty((worlds, nodes), np.int32), np.empty(worlds, np.uintp)
    arguments = [size(worlds), size(nodes), incidences, size(stride), counts, labels, size(nodes), None, 0, islands]
    aether.call("aether_islands_batch", *arguments)
    equal = sum(np.array_equal(a, b[:nodes]) and n == m for a, b, n, m in zip(labels, wanted, islands, counts_of_warp))
    of_mujoco = sum(np.array_equal(a, data.tree_island) for a, (data, _) in zip(labels, states))
    print(f"MuJoCo Warp: {equal} of {worlds} worlds equal, {of_mujoco} equal to MuJoCo, {islands.tolist()} islands")
    assert equal == worlds and of_mujoco == worlds


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    arguments = [int(a) if a.isdigit() else a for a in arguments]
    {"digest": digest, "maps": maps, "warp": warp}[command](*arguments)
