import { storedJson, withStorage } from '#lib/browser-storage.ts'
import { isPathParameter } from '#lib/paths.ts'

/** The organisation of the last sign-in in this browser: its slug, and its external id as in addresses. */
export type LastOrganisation = { slug: string; tenant: string }

const KEY = 'countersign-organisation'
const RETURN_KEY = 'countersign-return-to'

/** Undefined before the first sign-in, or if the browser forbids storage. */
export function lastOrganisation(): LastOrganisation | undefined {
  const value = storedJson(() => localStorage.getItem(KEY))
  if (typeof value !== 'object' || value === null || !('slug' in value) || !('tenant' in value)) return undefined
  const { slug, tenant } = value
  return typeof slug === 'string' && typeof tenant === 'string' ? { slug, tenant } : undefined
}

export function rememberOrganisation(organisation: LastOrganisation): void {
  withStorage(() => localStorage.setItem(KEY, JSON.stringify(organisation)))
}

/** The page that the person requested before being sent to sign in; stored for this tab only. */
export function rememberReturnTo(path: string): void {
  withStorage(() => sessionStorage.setItem(RETURN_KEY, path))
}

export function takeReturnTo(): string | undefined {
  const path = withStorage(() => {
    const stored = sessionStorage.getItem(RETURN_KEY)
    sessionStorage.removeItem(RETURN_KEY)
    return stored
  })
  return path ?? undefined
}

/** `path` when it is a page of a tenant on this origin, for after the sign-in; never an address elsewhere. */
export function safeReturnTo(path: string | undefined, origin: string): string | undefined {
  if (path === undefined || !path.startsWith('/t/')) return undefined
  const url = URL.parse(path, origin)
  const [, area, tenant] = url?.pathname.split('/') ?? []
  if (url?.origin !== origin || area !== 't' || tenant === undefined || !isPathParameter(tenant)) return undefined
  return `${url.pathname}${url.search}${url.hash}`
}
