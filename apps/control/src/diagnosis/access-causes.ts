import type { CauseRule } from "#diagnosis/cause-rule.ts";

const HF = /huggingface|transformers|datasets|hf_hub/;
const WANDB = /wandb/;
const S3 = /boto|s3fs|aiobotocore/;

/** Accounts, models, data and disks. */
export const ACCESS_CAUSES: readonly CauseRule[] = [
  {
    id: "wandb-permission",
    from: WANDB,
    pattern: /error 403|permission denied|PermissionDenied/,
    cause: "W&B does not let this key write to the project.",
    fix: "Use a key of an account with access, or correct trainer.project_name and the entity.",
  },
  {
    id: "wandb-key",
    from: WANDB,
    pattern:
      /API key (?:is not valid|must be|must have)|api_key not configured|not logged in|error 401|<Response \[401\]>|AuthenticationError|[Ii]nvalid API key/,
    cause: "W&B refused its API key.",
    fix: "Set WANDB_API_KEY where the job runs, or take wandb out of trainer.logger.",
    field: "env",
  },
  {
    id: "wandb-network",
    from: WANDB,
    pattern:
      /initialization has timed out|Network error|ConnectionError|ConnectTimeout|Max retries exceeded|CommError: (?:Run init|The connection|failed to connect)/,
    cause: "W&B could not be reached.",
    fix: "Check the network of the node, set WANDB_MODE=offline, or take wandb out of trainer.logger.",
    field: "env",
  },
  {
    id: "hf-gated",
    from: HF,
    pattern:
      /GatedRepoError|(?:access|accessing) (?:a )?gated repo|Access to (?:model|dataset) \S{1,200} is restricted/,
    cause: "The model or data set on Hugging Face is gated.",
    fix: "Accept its terms on huggingface.co, and set HF_TOKEN where the job runs.",
    field: "model.path",
  },
  {
    id: "hf-rate-limit",
    from: HF,
    pattern: /429 Client Error|Too Many Requests/,
    cause: "Hugging Face refused more requests for now.",
    fix: "Set HF_TOKEN, or download once and name the folder in model.path or data.train_files.",
  },
  {
    id: "hf-unauthorized",
    from: HF,
    pattern:
      /(?:RepositoryNotFoundError|HfHubHTTPError).{0,200}40[13] Client Error|Invalid user token|Invalid credentials in Authorization header/,
    cause: "Hugging Face has no such repository, or does not show it without a valid token.",
    fix: "Check the name in model.path, and set HF_TOKEN where the job runs.",
    field: "model.path",
  },
  {
    id: "hf-network",
    from: HF,
    pattern:
      /couldn't connect to 'https:\/\/(?:huggingface\.co|hf-mirror)|host='(?:huggingface\.co|hf-mirror\.com)'|LocalEntryNotFoundError|OfflineModeIsEnabled|Couldn't reach '?\S{1,200}'? on the Hub/,
    cause: "Hugging Face could not be reached, and the files are not in the cache.",
    fix: "Download the model or data once, and name its folder; or give the node a network.",
    field: "model.path",
  },
  {
    id: "model-missing",
    pattern:
      /(?:^|\s)(\S+) is not a local folder and is not a valid model identifier|Repo id must be in the form .{0,120}: '([^']{1,200})'|(?:^|\s)(\S+) does not appear to have a file named config\.json|no file named .{0,200} found in directory (\S+)/,
    cause: "$1$2$3$4 is not a model folder on the node that looked for it.",
    fix: "Put the model on storage that every node sees, and name it in model.path.",
    field: "model.path",
  },
  {
    id: "model-unsupported",
    pattern:
      /Model architectures \[([^\]]{0,200})\].{0,40}not supported|model type `([^`]{1,100})` but Transformers does not recognize/,
    cause: "The installed library does not know this model: $1$2.",
    fix: "Install a newer transformers or engine, or choose another model.",
    field: "model.path",
  },
  {
    id: "trust-remote-code",
    pattern:
      /requires you to execute the (?:configuration|modeling) file|set the option `trust_remote_code=True`/,
    cause: "The model has code of its own, which is not trusted by default.",
    fix: "Read that code, then set actor_rollout_ref.model.trust_remote_code=True and data.trust_remote_code=True.",
    field: "overrides",
  },
  {
    id: "mlflow-refused",
    from: /mlflow/,
    pattern:
      /(?:40[13] (?:Client )?Error|Unauthorized|Permission denied|UNAUTHENTICATED|PERMISSION_DENIED)/,
    cause: "MLflow refused the job's credentials.",
    fix: "Set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, where the job runs.",
    field: "env",
  },
  {
    id: "mlflow-away",
    from: /mlflow/,
    pattern: /API request to .{0,300} failed|Max retries exceeded|Connection refused/,
    cause: "MLflow could not be reached.",
    fix: "Check MLFLOW_TRACKING_URI and the network of the node, or take mlflow out of trainer.logger.",
    field: "env",
  },
  {
    id: "weights-broken",
    pattern:
      /SafetensorError.{0,300}(?:deserializing header|metadata|InvalidHeader)|PytorchStreamReader failed|failed finding central directory|header too (?:large|small)/i,
    cause: "A file of weights is incomplete or damaged.",
    fix: "Download the model again, or resume from an earlier checkpoint.",
    field: "model.path",
  },
  {
    id: "tokenizer",
    pattern:
      /instantiate the backend tokenizer|Can't load tokenizer for '([^']{1,200})'|data did not match any variant of untagged enum (?:ModelWrapper|PyPreTokenizer)/,
    cause: "The tokenizer of the model cannot be loaded.",
    fix: "Check the tokenizer files in the model's folder, and install sentencepiece, tiktoken and a newer tokenizers.",
    field: "model.path",
  },
  {
    id: "data-broken",
    pattern: /Parquet magic bytes not found|Parquet file size is 0 bytes|ArrowInvalid: JSON parse/,
    cause: "A data file is damaged, empty, or not in the format of its name.",
    fix: "Write the file again; a git-lfs pointer in its place looks the same.",
    field: "data.train_files",
  },
  {
    id: "disk-quota",
    pattern: /Disk quota exceeded|\[Errno 122\]/,
    cause: "The quota of a disk is used up.",
    fix: "Free some, or keep fewer checkpoints: trainer.max_actor_ckpt_to_keep.",
    field: "trainer.max_actor_ckpt_to_keep",
  },
  {
    id: "disk-full",
    pattern: /No space left on device|\[Errno 28\]|OutOfDiskError/,
    cause: "A disk is full.",
    fix: "Free some, or keep fewer checkpoints: trainer.max_actor_ckpt_to_keep.",
    field: "trainer.max_actor_ckpt_to_keep",
  },
  {
    id: "read-only",
    pattern: /Read-only file system: '?([^'\n]{0,300})/,
    cause: "The file system of $1 is read-only.",
    fix: "Mount it for writing, or choose another folder; a disk that turned read-only has errors in the kernel's log.",
  },
  {
    id: "permission-denied",
    exception: /^PermissionError$/,
    pattern: /Permission denied: '?([^'\n]{0,300})/,
    weight: "soft",
    cause: "The job may not write or read $1.",
    fix: "Give the job's user access to it, or choose another folder.",
  },
  {
    id: "storage-away",
    pattern:
      /Stale file handle|Transport endpoint is not connected|\[Errno 5\] Input\/output error|Remote I\/O error/,
    cause: "Shared storage failed while a file was read or written.",
    fix: "Check the mount on that node, and resume from the last checkpoint.",
  },
  {
    id: "storage-credentials",
    from: S3,
    pattern:
      /Unable to locate credentials|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|AccessDenied/,
    cause: "Object storage refused the job's credentials.",
    fix: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the job runs, or give the node a role.",
    field: "env",
  },
  {
    id: "open-files",
    pattern: /Too many open files|\[Errno 24\]/,
    cause: "A process reached its limit of open files.",
    fix: "Raise it before Ray starts (ulimit -n 65536), or run fewer rollouts at once.",
  },
  {
    id: "process-limit",
    pattern: /can't start new thread|pthread_create failed|fork: retry: Resource temporarily/,
    cause: "A node reached its limit of processes or threads.",
    fix: "Raise it (ulimit -u, or the pids limit of the container), or lower rollout.agent_workers.",
    field: "rollout.agent_workers",
  },
  {
    id: "port-in-use",
    pattern: /address already in use|\[Errno 98\]|EADDRINUSE/i,
    weight: "soft",
    cause: "A port is taken by another process.",
    fix: "End what an earlier run left on that node (ss -ltnp lists it), or choose another port.",
  },
];
