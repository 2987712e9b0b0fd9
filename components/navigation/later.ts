import { installServerAway } from './server-away.ts'
import { installStalePageReload } from './stale-page.ts'

/** What watches over a page that is already shown. */
export function watchPage(): void {
  installServerAway()
  installStalePageReload()
}
