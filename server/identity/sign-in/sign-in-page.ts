import { signInPath } from '#lib/paths.ts'
import { cliClientId } from '#server/identity/clients/clients.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import { passwordPath } from '#server/identity/passwords/change-page.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

type SignIn = {
  /** The form's target. */
  action: string
  clientId: unknown
  /** The address to return to after signing in; already checked by the provider. */
  redirectUri: unknown
  username: string
  problem?: string
}

export function signInPage(realm: Realm, { action, clientId, redirectUri, username, problem }: SignIn): RenderedPage {
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(realm, {
    title: `Sign in to ${realm.displayName}`,
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
${clientId === cliClientId && html`<p>This signs in the command line on this computer.</p>`}
<form method="post" action="${action}">
<label for="username">User name</label>
<input id="username" name="username" value="${username}" maxlength="256" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}>
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="1024" required autocomplete="current-password"${invalid}>
<button type="submit">Sign in</button>
</form>
<p class="note"><a href="${realm.url}${passwordPath}">Change your password</a></p>
<p class="note">Not your organisation? <a href="${runtime().config.baseUrl}${signInPath()}">Choose another</a></p>`,
    formOrigins: typeof redirectUri === 'string' ? [new URL(redirectUri).origin] : [],
  })
}
