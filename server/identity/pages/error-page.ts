import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { signInPath } from '#lib/paths.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { html } from './html.ts'
import { type RenderedPage, renderPage } from './page.ts'

/** The page that a person sees when a sign-in or sign-out can't continue. */
export const problemPage = (realm: Realm, title: string, explanation: string, code?: string): RenderedPage =>
  renderPage(realm, {
    title,
    body: html`<p role="alert" class="problem">${explanation}</p>
<p><a href="${runtime().config.baseUrl}${signInPath()}">Start again</a></p>
${code !== undefined && html`<p class="note">Code: ${code}</p>`}`,
  })

export const expiredPage = (realm: Realm): RenderedPage =>
  problemPage(
    realm,
    'This sign-in is no longer valid',
    'It was left open for too long, has already been completed, or belongs to another browser. Nothing has changed.',
  )

/** oidc-provider's `renderError`; the library has already set the status. */
export const renderError =
  (realm: Realm) =>
  (
    ctx: KoaContextWithOIDC,
    out: { error: string; error_description?: string },
    error: errors.OIDCProviderError | Error,
  ) => {
    const page =
      error.name === 'SessionNotFound' ? expiredPage(realm) : problemPage(realm, title, explain(out), out.error)
    ctx.set(page.headers)
    ctx.body = page.text
  }

const title = 'This request can’t be completed'

/** The library's description as a sentence. Errors of this server show no detail. */
function explain({ error, error_description: description }: { error: string; error_description?: string }): string {
  if (error === 'server_error') return 'Something went wrong. Try again in a moment.'
  const text = description ?? 'The application sent an invalid request.'
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return begun.endsWith('.') ? begun : `${begun}.`
}
