"""From settings to whoever knows where the proxy is."""

from pathlib import Path

from liverl_verl.local_proxy import LocalProxy, Pool, default_bundle, default_folder
from liverl_verl.node_js import find_node
from liverl_verl.proxy_actor import ActorProxy
from liverl_verl.proxy_place import GivenProxy, ProxyFinder, ProxyPlace
from liverl_verl.settings import Settings, SettingsError


def proxy_finder(settings: Settings, *, models: tuple[str, ...], max_model_len: int) -> ProxyFinder:
    """`models`: where verl has the model, best first. Raises SettingsError and NoNode."""
    if settings.proxy_mode == "local":
        return _local(settings, models, max_model_len)
    if settings.proxy_url is not None:
        return GivenProxy(ProxyPlace(settings.proxy_url, settings.worker_token))
    return ActorProxy(settings.proxy_actor or "", settings.worker_token)


def _local(settings: Settings, models: tuple[str, ...], max_model_len: int) -> LocalProxy:
    candidates = (settings.model_dir,) if settings.model_dir is not None else models
    model = next((one for one in candidates if Path(one).expanduser().is_dir()), None)
    if model is None:
        raise SettingsError(
            f"the proxy of this host needs the model's folder, and none of {', '.join(candidates) or 'nothing'} is one here: set LIVERL_MODEL_DIR"
        )
    folder = Path(model).expanduser().resolve()
    return LocalProxy(
        folder=default_folder(settings.run_id, settings.local_dir),
        node=find_node(settings.node),
        bundle=Path(settings.proxy_bundle) if settings.proxy_bundle else default_bundle(),
        pool=Pool(settings.run_id, str(folder), settings.model_name or folder.name, max_model_len),
        advertise=settings.llm_proxy_ip,
    )
