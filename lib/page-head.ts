import { RUNTIME_CONFIG_ID } from './runtime-config.ts'
import { THEME_SCRIPT } from './theme-script.ts'

/** First in every head: the theme before anything is painted, then the server's settings. `json` is from `configJson`. */
export function headElements(json: string): string {
  return `<script>${THEME_SCRIPT}</script><script type="application/json" id="${RUNTIME_CONFIG_ID}">${json}</script>`
}

/** JSON that can't end the script element that it is in. */
export function configJson(config: object): string {
  return JSON.stringify(config).replaceAll('<', '\\u003c')
}
