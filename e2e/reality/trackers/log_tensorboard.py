"""An unmodified tensorboardX writer.

python log_tensorboard.py FOLDER STEPS KEYS
"""

import sys

from tensorboardX import SummaryWriter

folder, steps, keys = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if not (1 <= steps <= 100_000 and 1 <= keys <= 100):
    raise SystemExit("steps 1..100000, keys 1..100")
writer = SummaryWriter(folder, flush_secs=1)
for step in range(steps):
    for k in range(keys):
        writer.add_scalar(f"metric/{k}", step * 0.5 + k, step)
writer.add_text("note", "no metric", 0)
writer.add_scalar("last", float("nan"), steps)
writer.close()
