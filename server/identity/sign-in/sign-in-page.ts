import { signInPath } from '#lib/paths.ts'
import { cliClientId } from '#server/identity/clients/clients.ts'
import { html } from '#server/identity/pages/html.ts'
import { type RenderedPage, renderPage } from '#server/identity/pages/page.ts'
import { passwordPath } from '#server/identity/passwords/change-page.ts'
import type { Reader } from '#server/identity/words/reader.ts'
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

export function signInPage(reader: Reader, { action, clientId, redirectUri, username, problem }: SignIn): RenderedPage {
  const { realm, t } = reader
  const invalid = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  return renderPage(reader, {
    title: t.signIn.title(realm.displayName),
    body: html`${problem !== undefined && html`<p role="alert" id="problem" class="problem">${problem}</p>`}
${clientId === cliClientId && html`<p>${t.signIn.commandLine}</p>`}
<form method="post" action="${action}">
<label for="username">${t.username}</label>
<input id="username" name="username" value="${username}" maxlength="256" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}>
<label for="password">${t.signIn.password}</label>
<input id="password" name="password" type="password" maxlength="1024" required autocomplete="current-password"${invalid}>
<button type="submit">${t.signIn.submit}</button>
</form>
<p class="note"><a href="${realm.url}${passwordPath}">${t.signIn.change}</a></p>
<p class="note">${t.signIn.notYours} <a href="${runtime().config.baseUrl}${signInPath()}">${t.signIn.another}</a></p>`,
    formOrigins: typeof redirectUri === 'string' ? [new URL(redirectUri).origin] : [],
  })
}
