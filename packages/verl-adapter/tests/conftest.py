import sys
from pathlib import Path

# Always the stand-in: a real verl takes gigabytes and minutes, and has its own suite in e2e/reality/verl.
sys.path.insert(0, str(Path(__file__).parent / "contract_stub"))
sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
