import { signInPath } from '#lib/paths.ts'
import { minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Reader } from '#server/identity/words/reader.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Below the realm. */
export const passwordPath = '/password'

/** The page on which people change their own password. It needs no session: the current password is asked for anyway. */
export function changePasswordPage(
  reader: Reader,
  { username, problem }: { username: string; problem?: string | undefined },
): RenderedPage {
  const { realm, t } = reader
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(reader, {
    title: t.change.title(realm.displayName),
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
<p>${t.change.consequence}</p>
<form method="post" action="${realm.url}${passwordPath}">
<label for="username">${t.username}</label>
<input id="username" name="username" value="${username}" maxlength="256" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}>
<label for="current">${t.change.current}</label>
<input id="current" name="current" type="password" maxlength="1024" required autocomplete="current-password"${invalid}>
<label for="password">${t.newPassword}</label>
<input id="password" name="password" type="password" minlength="${minPasswordLength}" maxlength="1024" required autocomplete="new-password" aria-describedby="hint"${invalid}>
<p id="hint">${t.passwordHint(minPasswordLength)}</p>
<label for="again">${t.repeatPassword}</label>
<input id="again" name="again" type="password" maxlength="1024" required autocomplete="new-password"${invalid}>
<button type="submit">${t.change.submit}</button>
</form>
<p class="note">${t.change.forgotten(realm.displayName)}</p>`,
  })
}

export function passwordChangedPage(reader: Reader): RenderedPage {
  const { realm, t } = reader
  return renderPage(reader, {
    title: t.change.doneTitle,
    body: html`<p>${t.change.done(realm.displayName)}</p>
<p><a href="${runtime().config.baseUrl}${signInPath({ organisation: realm.slug })}">${t.signIn.submit}</a></p>`,
  })
}
