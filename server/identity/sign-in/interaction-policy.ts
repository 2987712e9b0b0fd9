import { interactionPolicy } from 'oidc-provider'

const { Check } = interactionPolicy

/**
 * When a person has to enter a password. People are never asked for consent, because both clients that people use
 * belong to the product. But another program on the same computer can pose as the command line (RFC 8252, section 8.6),
 * so the command line never signs in silently.
 */
export function signInPolicy() {
  const policy = interactionPolicy.base()
  policy.remove('consent')
  const login = policy.get('login')
  if (login === undefined) throw new Error('oidc-provider does not have a login prompt.')
  login.checks.add(
    new Check(
      'native_client',
      'native clients require End-User interaction',
      'login_required',
      ({ oidc }) => oidc.client?.applicationType === 'native' && oidc.result?.login === undefined,
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
  return policy
}
