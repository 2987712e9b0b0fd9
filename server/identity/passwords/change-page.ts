import { signInPath } from '#lib/paths.ts'
import { minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Below the realm. */
export const passwordPath = '/password'

/** The page on which people change their own password. It needs no session: the current password is asked for anyway. */
export function changePasswordPage(
  realm: Realm,
  { username, problem }: { username: string; problem?: string | undefined },
): RenderedPage {
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(realm, {
    title: `Change your password for ${realm.displayName}`,
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
<p>You are then signed out everywhere, and sign in with the new password.</p>
<form method="post" action="${realm.url}${passwordPath}">
<label for="username">User name</label>
<input id="username" name="username" value="${username}" maxlength="256" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}>
<label for="current">Current password</label>
<input id="current" name="current" type="password" maxlength="1024" required autocomplete="current-password"${invalid}>
<label for="password">New password</label>
<input id="password" name="password" type="password" minlength="${minPasswordLength}" maxlength="1024" required autocomplete="new-password" aria-describedby="hint"${invalid}>
<p id="hint">At least ${minPasswordLength} characters. A few unrelated words work well.</p>
<label for="again">Repeat new password</label>
<input id="again" name="again" type="password" maxlength="1024" required autocomplete="new-password"${invalid}>
<button type="submit">Change password</button>
</form>
<p class="note">Forgotten? Ask an administrator of ${realm.displayName} for a new link.</p>`,
  })
}

export const passwordChangedPage = (realm: Realm): RenderedPage =>
  renderPage(realm, {
    title: 'Your password is changed',
    body: html`<p>You are signed out everywhere. From now on, sign in to ${realm.displayName} with your new password.</p>
<p><a href="${runtime().config.baseUrl}${signInPath({ organisation: realm.slug })}">Sign in</a></p>`,
  })
