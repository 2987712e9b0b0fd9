import { interactionPolicy } from 'oidc-provider'
import { isForeignClient } from '#server/identity/clients/foreign-clients.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { isLoginOutdated } from './outdated-login.ts'

const { Check, Prompt } = interactionPolicy

/**
 * When a person has to enter a password, and when to allow a client. People are not asked for consent to the product's own
 * clients, and always to those of other vendors (../consent). But another program on the same computer can pose as the command line (RFC 8252, section 8.6),
 * so the command line never signs in silently.
 */
export function signInPolicy(realm: Realm) {
  const policy = interactionPolicy.base()
  policy.remove('consent')
  const login = policy.get('login')
  if (login === undefined) throw new Error('oidc-provider does not have a login prompt.')
  login.checks.add(
    new Check(
      'native_client',
      'native clients require End-User interaction',
      'login_required',
      ({ oidc }) =>
        oidc.client?.applicationType === 'native' &&
        !isForeignClient(oidc.client.clientId) &&
        oidc.result?.login === undefined,
    ),
  )
  login.checks.add(
    new Check(
      'account_inactive',
      'the signed-in account is no longer active',
      'login_required',
      ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
    ),
  )
  login.checks.add(
    new Check(
      'login_outdated',
      'access was withdrawn from the account since the sign-in began',
      'login_required',
      ({ oidc }) => isLoginOutdated(realm, oidc),
    ),
  )
  // Clients of other vendors may request it by name; the product's own then get the token without a question.
  const consent = new Prompt({ name: 'consent', requestable: true })
  consent.checks.remove('consent_prompt')
  consent.checks.add(
    new Check(
      'foreign_client',
      'the person has to allow the client',
      'consent_required',
      ({ oidc }) => isForeignClient(oidc.client?.clientId) && oidc.result?.consent === undefined,
    ),
  )
  policy.add(consent)
  return policy
}
