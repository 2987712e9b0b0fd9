const RELOADED_AT = 'countersign-reloaded-at'
/** A page that is stale again this soon is not stale but broken: loading it again and again would help no one. */
const LEAST_BETWEEN_MS = 60_000

/**
 * A page that was loaded before the console was built again may ask for a script or style that the server no longer has. Only
 * loading the page again helps, so that is what happens. Anything else that fails to load is left to whoever asked for it.
 */
export function installStalePageReload(): void {
  window.addEventListener('error', ({ target }) => void reloadIfGone(addressOf(target)), true)
}

const addressOf = (target: EventTarget | null): string =>
  target instanceof HTMLScriptElement ? target.src : target instanceof HTMLLinkElement ? target.href : ''

async function reloadIfGone(address: string): Promise<void> {
  if (!address.startsWith(`${window.location.origin}/_next/static/`)) return
  const answer = await fetch(address, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (answer?.status !== 404) return
  const before = Number(window.sessionStorage.getItem(RELOADED_AT) ?? 0)
  if (Date.now() - before < LEAST_BETWEEN_MS) return
  window.sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  window.location.reload()
}
