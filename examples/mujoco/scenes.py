"""Scenes for the clients: what falls, what is linked, what moves by itself, what sleeps."""

OPTION = '<option><flag island="enable" {flags}/></option>'
FLOOR = '<geom type="plane" size="20 20 .1"/>'


def model(bodies, rest="", flags="", floor=True):
    world = (FLOOR if floor else "") + "".join(bodies)
    return f"<mujoco>{OPTION.format(flags=flags)}<worldbody>{world}</worldbody>{rest}</mujoco>"


def free(name, place, geom):
    x, y, z = place
    return f'<body name="{name}" pos="{x} {y} {z}"><freejoint/><geom {geom}/></body>'


def spheres(count=100):
    """A heap that spreads: islands join and part at every step."""
    place = lambda i: (0.21 * (i % 5) + 0.013 * (i // 25), 0.21 * (i // 5 % 5), 0.15 + 0.23 * (i // 25))
    return model([free(f"s{i}", place(i), 'type="sphere" size=".1"') for i in range(count)])


def columns():
    """Boxes that stand on each other, one island a column."""
    place = lambda i: (0.5 * (i % 8), 0.5 * (i // 8 % 4), 0.1 + 0.2 * (i // 32))
    return model([free(f"b{i}", place(i), 'type="box" size=".1 .1 .1"') for i in range(96)])


def ragdolls():
    """Trees of several degrees of freedom, with limits and friction in the joints."""
    joint = '<joint type="hinge" axis="0 1 0" range="-40 40" limited="true" frictionloss=".1"/>'
    capsule = '<geom type="capsule" fromto="0 0 0 .25 0 0" size=".05"/>'
    limb = f'<body pos=".3 0 0">{joint}{capsule}<body pos=".3 0 0">{joint}{capsule}</body></body>'
    doll = lambda i: (
        f'<body pos="{0.4 * (i % 4)} {0.3 * (i // 4 % 4)} {0.3 + 0.4 * (i // 16)}" euler="0 0 {37 * i}">'
        f"<freejoint/>{capsule}{limb}</body>"
    )
    return model([doll(i) for i in range(32)])


def linked():
    """Constraints without contact: connects and welds between trees and to the world, a tendon over four trees."""
    swing = (
        '<body name="p{i}" pos="{x} 0 2"><joint name="j{i}" type="hinge" axis="0 1 0" damping=".01"/>'
        '<geom type="capsule" fromto="0 0 0 .1 0 -.4" size=".03" contype="0" conaffinity="0"/></body>'
    )
    swings = [swing.format(i=i, x=0.5 * i) for i in range(12)]
    beads = [free(f"c{i}", (0.3 * i, 2, 1), 'type="sphere" size=".1" contype="0" conaffinity="0"') for i in range(20)]
    tendon = "".join(f'<joint joint="j{i}" coef="{1 + i}"/>' for i in (1, 3, 6, 8))
    rest = (
        f'<tendon><fixed name="t">{tendon}</fixed></tendon><equality><tendon tendon1="t"/>'
        + "".join(f'<connect body1="c{i}" body2="c{i + 1}" anchor=".15 0 0"/>' for i in range(20 - 1) if i % 6 != 5)
        + '<connect body1="c0" anchor="0 0 0"/><weld body1="p0" body2="p11"/></equality>'
    )
    return model(swings + beads, rest, floor=False)


def dominos():
    """Stones that fall one after the other and then sleep."""
    stone = 'type="box" size=".02 .1 .2"'
    stones = [free(f"d{i}", (0.2 * i, 0, 0.2), stone) for i in range(30)]
    ball = '<body pos="-.5 0 .35"><freejoint/><geom type="sphere" size=".1" mass="2"/></body>'
    apart = [free(f"a{i}", (i, 3, 0.1), 'type="sphere" size=".1"') for i in range(4)]
    return model([ball] + stones + apart, flags='sleep="enable"')


SCENES = {scene.__name__: scene for scene in (spheres, columns, ragdolls, linked, dominos)}
