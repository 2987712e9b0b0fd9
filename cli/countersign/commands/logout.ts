import { isPage, notOfCountersign } from '../answer.ts'
import { Failed } from '../failure.ts'
import { commonFlags, parse } from '../flags.ts'
import { readStore, withStore } from '../profiles.ts'
import { cliClientId, profileNameOf, realmOf, send } from '../session.ts'
import { type Command, commonUsage } from './command.ts'

export const logout: Command = {
  name: 'logout',
  summary: 'End a sign-in and revoke its refresh token',
  usage: `countersign logout [--profile <name>]\n${commonUsage}`,
  async run({ args, environment, output }) {
    const { values } = parse(args, commonFlags)
    const name = profileNameOf(values, environment)
    const profile = readStore(environment).profiles[name]
    if (profile === undefined)
      throw new Failed('signedOut', `The profile ${name} is not signed in.`, { code: 'signed_out' })
    // First, because the profile has the only copy of the refresh token: a logout that failed can be repeated.
    if (profile.refreshToken !== undefined) {
      const body = new URLSearchParams({
        client_id: cliClientId,
        token: profile.refreshToken,
        token_type_hint: 'refresh_token',
      })
      const response = await send(`${realmOf(profile.authUrl, profile.tenant)}/revoke`, { method: 'POST', body })
      // Providers answer with nothing, or with what they like: a page is not of one.
      if (response.ok && isPage(response))
        throw notOfCountersign('the refresh token was not revoked, and you are still signed in')
      if (!response.ok)
        throw new Failed(
          'refused',
          `The provider answered ${response.status}: the refresh token was not revoked, and you are still signed in.`,
        )
    }
    await withStore(environment, async (store) => {
      if (store.profiles[name]?.signIn === profile.signIn) delete store.profiles[name]
    })
    output.error(`Signed out of ${profile.tenant} at ${profile.url}.\n`)
    return undefined
  },
}
