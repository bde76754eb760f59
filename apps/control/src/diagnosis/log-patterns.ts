/** A line without any of these changes nothing while no traceback and no printed text is open. */
export const TELLS =
  /Traceback|Error|Exception|Interrupt|Exit|error|[Ff]ail|exit|[Kk]illed|CANCELLED|OOMKill|Evicted|Preempted|Xid|SIG|Fault|fault|Assertion|NCCL|Watchdog|watchdog|marked dead|over 9|died|[Ss]tep[: ]|Warning |[Rr]etry|Could not|Missing mandatory|\[(?:prompt|response|request|solution|completion|ground_truth|score|model_answer)\]|```|~~~|<[a-z|]|[│┃]/;
export const HEAD = /^(.{0,160}?)Traceback \(most recent call last\):$/;
/** `ray::WorkerDict.update() (pid=…)`: what follows are the frames of that process. */
export const REMOTE =
  /^(?:ray\.exceptions\.)?(?:RayTaskError(?:\(\w+\))?|ActorDiedError): (?:The actor died because of an error raised in its creation task, )?ray::.{0,300}?\(pid=(\d+)/;
export const CAUSED = "The above exception was the direct cause of the following exception:";
export const MEANWHILE = "During handling of the above exception, another exception occurred:";
/** An exception behind frames may have any name. */
export const RAISED = /^([A-Za-z_][\w.]*(?:<locals>\.\w+)?)(?::(?: (.*))?)?$/;
/** An exception without frames before it has a name that says so. */
export const BARE =
  /^((?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Invalid|Timeout|Warning|Exit|Killed))(?:: (.*))?$/;
export const FRAME = /^\s*File "([^"]{1,400})", line \d+/;
export const OURS =
  /(?:^|\/)(?:verl|liverl_verl|ray|vllm|sglang|torch|hydra|omegaconf|transformers|huggingface_hub|datasets|wandb|mlflow|tensorboard|deepspeed|megatron|trl|peft|accelerate|openrlhf|slime|miles|prime_rl|skyrl\w*|nemo_rl|roll|areal|flash_attn|safetensors|pyarrow|tokenizers|triton|uvicorn|zmq|openai|botocore|urllib3|requests|aiohttp)\/|main_\w{1,40}\.py|torchrun/;
/** Where agents work: what is raised there is theirs. */
export const SANDBOX =
  /(?:^|\/)(?:testbed|workspace|app|repo|sandbox|solution)\/|^<(?:stdin|string)>|^[\w-]+\.py$/;
/** What an error that was caught is said to lead to. */
export const PASSED =
  /\b(?:retrying|will retry|retry \d+|entering retry loop|falling back|fall back|ignoring|skipping|continuing|non-fatal|not fatal)\b/i;
export const WARNS = /^(?:\S+ ){0,2}\[?WARN(?:ING)?\b/;
/** A traceback this close behind a warning belongs to it. */
export const NEAR_BYTES = 2_000;
export const UNRAISABLE =
  /^Exception ignored in|^Exception ignored on|never retrieved|Error in sys\.excepthook/;
/** Metrics of a finished step: the run went on past what is above. */
export const PROGRESS =
  /^step:\d+ - |^\{'loss': .{0,2000}'epoch': |^.{0,60}\bstep \d+: \{|^.{0,60}\bStep \d+ \| (?:Time|Loss|Reward)/;
/** What is not part of a message. */
export const NEXT_LINE =
  /^(?:Error executing job|Set the environment variable HYDRA|step:\d|INFO|WARNING|ERROR|\[[EWIF]\d{3,4} |srun: |slurmstepd: |wandb: |={8}|-{8})/;
/** A line that says of itself that it is an error. */
export const SAYS_ERROR =
  /^(?:\S+ )?(?:ERROR|CRITICAL|FATAL|Error|wandb: ERROR|srun: error|Could not override|Missing mandatory|Error parsing|In '[^']{1,200}': Could not find|Cannot find primary|terminate called|Failed)\b/;
