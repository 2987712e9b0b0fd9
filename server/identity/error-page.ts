import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { signInPath } from '#lib/paths.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { html } from './html.ts'
import { type RenderedPage, renderPage } from './page.ts'
import type { Realm } from './realm.ts'

/** What a person sees when a sign-in or sign-out can't go on. */
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
    'It was left open for too long, was finished already, or belongs to another browser. Nothing has changed.',
  )

/** oidc-provider's `renderError`: the status is set already. */
export const renderError =
  (realm: Realm) =>
  (
    ctx: KoaContextWithOIDC,
    out: { error: string; error_description?: string },
    error: errors.OIDCProviderError | Error,
  ) => {
    const page =
      error.name === 'SessionNotFound'
        ? expiredPage(realm)
        : problemPage(realm, 'This can’t go on', sentence(out.error_description), out.error)
    ctx.set(page.headers)
    ctx.body = page.text
  }

const sentence = (description = 'The request can’t be answered.'): string => {
  const text = description.charAt(0).toUpperCase() + description.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}
