const RELOADED_AT = 'countersign-reloaded-at'
/** A page that fails again this soon is broken rather than stale, so it is not reloaded again. */
const LEAST_BETWEEN_MS = 60_000

/**
 * A page that was loaded before the console was rebuilt may request a script or style that the server no longer has. Only
 * reloading the page helps, so this does it. Other failures to load are left to the code that requested the resource.
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
