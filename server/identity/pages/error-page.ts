import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { signInPath } from '#lib/paths.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { type Reader, readerOf } from '#server/identity/words/reader.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type Html, html } from './html.ts'
import { type RenderedPage, renderPage } from './page.ts'

type Problem = { title: string; text: string | Html; code?: string }

/** The page that a person sees when a sign-in or sign-out can't continue. */
export const problemPage = (reader: Reader, { title, text, code }: Problem): RenderedPage =>
  renderPage(reader, {
    title,
    body: html`<p role="alert" class="problem">${text}</p>
<p><a href="${runtime().config.baseUrl}${signInPath()}">${reader.t.problems.startAgain}</a></p>
${code !== undefined && html`<p class="note">${reader.t.problems.code(code)}</p>`}`,
  })

/** `detail` is in English, for the developer of the program that sent the form. */
export const notAcceptedPage = (reader: Reader, detail: string): RenderedPage =>
  problemPage(reader, { title: reader.t.problems.notAccepted, text: inEnglish(detail) })

export const otherMethodPage = (reader: Reader): RenderedPage =>
  problemPage(reader, { title: reader.t.problems.notAccepted, text: reader.t.problems.onlyGetAndPost })

export const otherSitePage = (reader: Reader): RenderedPage =>
  problemPage(reader, { title: reader.t.problems.notAccepted, text: reader.t.problems.otherSite })

export const expiredPage = (reader: Reader): RenderedPage => problemPage(reader, reader.t.problems.expired)

/** oidc-provider's `renderError`; the library has already set the status. */
export const renderError =
  (realm: Realm) =>
  (
    ctx: KoaContextWithOIDC,
    { error: code, error_description: description }: { error: string; error_description?: string },
    error: errors.OIDCProviderError | Error,
  ) => {
    const reader = readerOf(realm, ctx.req.headers)
    const { notCompleted, failed, invalidRequest } = reader.t.problems
    // Errors of this server show no detail.
    const text =
      code === 'server_error' ? failed : description === undefined ? invalidRequest : inEnglish(sentence(description))
    const page =
      error.name === 'SessionNotFound' ? expiredPage(reader) : problemPage(reader, { title: notCompleted, text, code })
    ctx.set(page.headers)
    ctx.body = page.text
  }

const inEnglish = (text: string): Html => html`<span lang="en">${text}</span>`

function sentence(description: string): string {
  const begun = description.charAt(0).toUpperCase() + description.slice(1)
  return begun.endsWith('.') ? begun : `${begun}.`
}
