import { parseRuntimeConfig, RUNTIME_CONFIG_ID, type RuntimeConfig } from '#lib/runtime-config.ts'

let config: RuntimeConfig | undefined

/** What the server wrote into this page. In the browser only. */
export function runtimeConfig(): RuntimeConfig {
  config ??= parseRuntimeConfig(document.getElementById(RUNTIME_CONFIG_ID)?.textContent, window.location.origin)
  return config
}
