import type { Tenant } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A page's address for a mail, a chat or another receiver of news. It names the organisation, for a browser in which no one has signed in there before. */
export function addressOf(path: string, { slug }: Pick<Tenant, 'slug'>): string {
  const url = new URL(path, runtime().config.baseUrl)
  url.searchParams.set('organisation', slug)
  return url.href
}
