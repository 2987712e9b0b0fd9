import { signInPath } from '#lib/paths.ts'
import { minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Reader } from '#server/identity/words/reader.ts'
import { runtime } from '#server/kernel/runtime.ts'

type SetPassword = { action: string; username: string; displayName: string; problem?: string | undefined }

/** The page of a sign-in link, where the person chooses a password. Nothing changes until the form is sent. */
export function setPasswordPage(reader: Reader, { action, username, displayName, problem }: SetPassword): RenderedPage {
  const { realm, t } = reader
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(reader, {
    title: t.link.title(realm.displayName),
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
<p>${t.link.whose(displayName)}</p>
<form method="post" action="${action}">
<label for="username">${t.username}</label>
<input id="username" name="username" value="${username}" readonly autocomplete="username">
<label for="password">${t.newPassword}</label>
<input id="password" name="password" type="password" minlength="${minPasswordLength}" maxlength="1024" required autofocus autocomplete="new-password" aria-describedby="hint"${invalid}>
<p id="hint">${t.passwordHint(minPasswordLength)}</p>
<label for="again">${t.repeatPassword}</label>
<input id="again" name="again" type="password" maxlength="1024" required autocomplete="new-password"${invalid}>
<button type="submit">${t.link.submit}</button>
</form>`,
  })
}

export const passwordSetPage = (reader: Reader, username: string): RenderedPage =>
  renderPage(reader, {
    title: reader.t.link.doneTitle,
    body: html`<p>${reader.t.link.done(reader.realm.displayName, username)}</p>
<p><a href="${signInAddress(reader)}">${reader.t.signIn.submit}</a></p>`,
  })

/** One page for links that were used, have expired, were replaced, or never existed. */
export const deadLinkPage = (reader: Reader): RenderedPage =>
  renderPage(reader, {
    title: reader.t.link.deadTitle,
    body: html`<p role="alert" class="problem">${reader.t.link.dead}</p>
<p>${reader.t.link.instead(signInAddress(reader), reader.realm.displayName)}</p>`,
  })

const signInAddress = ({ realm }: Reader): string =>
  `${runtime().config.baseUrl}${signInPath({ organisation: realm.slug })}`
