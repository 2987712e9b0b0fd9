import type { KoaContextWithOIDC } from 'oidc-provider'
import { rootPath, signInPath } from '#lib/paths.ts'
import { Html, html } from '#server/identity/pages/html.ts'
import { renderPage } from '#server/identity/pages/page.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { readerOf } from '#server/identity/words/reader.ts'
import { runtime } from '#server/kernel/runtime.ts'

const formId = 'op.logoutForm'
const submit = `document.getElementById('${formId}').submit()`

/**
 * oidc-provider's `logoutSource`: signs out immediately if the application proved with the person's own id_token that
 * it acts for them. Otherwise the person has to confirm, so that a link on another site can't sign anyone out.
 */
export const renderSignOut = (realm: Realm) => (ctx: KoaContextWithOIDC, form: string) => {
  const hinted = ctx.oidc.entities.IdTokenHint?.payload.sub
  const proved = hinted !== undefined && hinted === ctx.oidc.session?.accountId
  const { baseUrl } = runtime().config
  const reader = readerOf(realm, ctx.req.headers)
  const t = reader.t.signOut
  const page = renderPage(reader, {
    title: proved ? t.leaving : t.question,
    body: html`<p>${t.consequence(realm.displayName)}</p>
${new Html(form)}
<input type="hidden" name="logout" value="yes" form="${formId}">
<button type="submit" form="${formId}">${t.submit(realm.displayName)}</button>
${!proved && html`<p><a href="${baseUrl}${rootPath()}">${t.stay}</a></p>`}`,
    ...(proved ? { script: submit } : {}),
    formOrigins: [new URL(baseUrl).origin],
  })
  ctx.set(page.headers)
  ctx.body = page.text
}

/** oidc-provider's `postLogoutSuccessSource`: for a sign-out without an address to return to. */
export const renderSignedOut = (realm: Realm) => (ctx: KoaContextWithOIDC) => {
  const reader = readerOf(realm, ctx.req.headers)
  const t = reader.t.signOut
  const page = renderPage(reader, {
    title: t.doneTitle,
    body: html`<p><a href="${runtime().config.baseUrl}${signInPath()}">${t.again}</a></p>`,
  })
  ctx.set(page.headers)
  ctx.body = page.text
}
