import { signInPath } from '#lib/paths.ts'
import { minPasswordLength } from '#lib/rules/password.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

type SetPassword = { action: string; username: string; displayName: string; problem?: string | undefined }

/** The page of a sign-in link, where the person chooses a password. Nothing changes until the form is sent. */
export function setPasswordPage(realm: Realm, { action, username, displayName, problem }: SetPassword): RenderedPage {
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(realm, {
    title: `Set your password for ${realm.displayName}`,
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
<p>This link is for ${displayName}. It works once.</p>
<form method="post" action="${action}">
<label for="username">User name</label>
<input id="username" name="username" value="${username}" readonly autocomplete="username">
<label for="password">New password</label>
<input id="password" name="password" type="password" minlength="${minPasswordLength}" maxlength="1024" required autofocus autocomplete="new-password" aria-describedby="hint"${invalid}>
<p id="hint">At least ${minPasswordLength} characters. A few unrelated words work well.</p>
<label for="again">Repeat new password</label>
<input id="again" name="again" type="password" maxlength="1024" required autocomplete="new-password"${invalid}>
<button type="submit">Set password</button>
</form>`,
  })
}

export const passwordSetPage = (realm: Realm, username: string): RenderedPage =>
  renderPage(realm, {
    title: 'Your password is set',
    body: html`<p>You can now sign in to ${realm.displayName} with the user name <strong>${username}</strong> and your new password.</p>
<p><a href="${runtime().config.baseUrl}${signInPath({ organisation: realm.slug })}">Sign in</a></p>`,
  })

/** One page for links that were used, have expired, were replaced, or never existed. */
export const deadLinkPage = (realm: Realm): RenderedPage =>
  renderPage(realm, {
    title: 'This link doesn’t work',
    body: html`<p role="alert" class="problem">It has been used, has expired, or was replaced by a newer one. Nothing has changed.</p>
<p>If you already have a password, <a href="${runtime().config.baseUrl}${signInPath({ organisation: realm.slug })}">sign in</a>. Otherwise ask an administrator of ${realm.displayName} for a new link.</p>`,
  })
