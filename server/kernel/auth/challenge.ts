import { ApiError } from '#lib/errors.ts'

/** What a proof of possession may be signed with: those of our identity provider. */
export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const

/** RFC 6750, section 3.1, and RFC 9449, section 7.1. */
type Problem = { scheme: 'Bearer' | 'DPoP'; error: 'invalid_token' | 'invalid_dpop_proof' }

/** A credential that was sent and is not good. The message is the same for everybody; the cause is for the log. */
export class CredentialRefused extends ApiError {
  readonly problem: Problem
  constructor(problem: Problem, message: string, reason: string) {
    super('unauthorized', message, { cause: new Error(reason) })
    this.problem = problem
  }
}

/** The value of WWW-Authenticate for a 401: both schemes, with what was wrong under the one that was tried. */
export function challengeFor(error: unknown): string {
  const problem = error instanceof CredentialRefused ? error.problem : undefined
  const challenge = (scheme: Problem['scheme'], ...parameters: string[]) =>
    `${scheme} ${['realm="countersign"', ...(problem?.scheme === scheme ? [`error="${problem.error}"`] : []), ...parameters].join(', ')}`
  return [challenge('Bearer'), challenge('DPoP', `algs="${proofAlgorithms.join(' ')}"`)].join(', ')
}
