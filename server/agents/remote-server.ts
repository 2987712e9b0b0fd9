import type { Client } from '@modelcontextprotocol/client'
import { ApiError } from '#lib/errors.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { endedWithin } from '#server/kernel/jobs/ended-within.ts'
import { AddressRefused, openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { SecretRefused, type SecretSender, useSecretValue } from '#server/secrets/use-value.ts'
import { redirectIn, refusalIn } from './calls/unanswered.ts'
import { connectClient, RemoteTransport } from './mcp-client.ts'

/** Limit for one response of a tool server; each event of a stream counts separately. */
const maxBytes = 8 * 1024 * 1024
/** The longest silence, which is also the time a tool may take. */
const idleMs = 600_000
/** For the end of a session, on whose answer nothing depends. */
const farewellMs = 5_000

/**
 * Runs `work` with a manifest's own tool server over streamable HTTP, behind the guard of outbound.ts. Each piece of work gets
 * its own connection, so that revoked secrets are not used again and sessions are not shared between calls. Throws ApiError when
 * the server was not reached, in which case it received no request, or if it refused the credential, in which case it did nothing.
 */
export async function withRemoteServer<T>(
  tenant: Tenant,
  { server, url, secretRef }: { server: string; url: string; secretRef?: string },
  sender: SecretSender,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { config, database } = runtime()
  const { origin } = new URL(url)
  const token =
    secretRef === undefined
      ? undefined
      : await database
          .inTenant(tenant.id, (tx) => useSecretValue(tx, tenant, secretRef, { destination: origin, sender }))
          .catch((error: unknown) => {
            throw error instanceof SecretRefused ? new ApiError('not_ready', error.message, { cause: error }) : error
          })
  const outbound = openOutbound({ allowed: config.allowedPrivateHosts, maxBytes, idleMs })
  const transport = new RemoteTransport(new URL(url), {
    fetch: (address, init) => outbound.fetch(address, init),
    authProvider: token === undefined ? undefined : { token: () => Promise.resolve(token) },
  })
  const refusedCredential = (cause: unknown): ApiError | undefined => {
    const status = refusalIn(cause)
    return status && new ApiError('not_ready', refusalOf(status, server, secretRef), { cause })
  }
  try {
    const { client } = await connectClient(transport).catch((cause: unknown) => {
      const refused = refusedIn(cause)
      if (refused !== undefined) throw new ApiError('not_ready', refused.message, { cause })
      const redirect = redirectIn(cause)
      if (redirect !== undefined) throw new ApiError('not_ready', redirected(redirect, server), { cause })
      throw (
        refusedCredential(cause) ??
        new ApiError('unavailable', `The tool server ${server} did not respond. Try again in a minute.`, { cause })
      )
    })
    return await work(client).catch((error: unknown) => {
      throw refusedCredential(error) ?? error
    })
  } finally {
    // A server may refuse to end a session, and since 2026-07-28 the protocol does not have sessions.
    const ended = transport.terminateSession().catch((error: unknown) => runtime().log.debug({ err: error }, 'session'))
    await endedWithin(farewellMs, ended)
    await transport.close()
    await outbound.close()
  }
}

const redirected = (status: number, server: string): string =>
  `The tool server ${server} answered ${status}, a redirect to another origin, which is not followed. Write the address that it leads to in the manifest.`

function refusalOf(status: 401 | 403, server: string, secretRef: string | undefined): string {
  const refused = `The tool server ${server} answered ${status}`
  return secretRef === undefined
    ? `${refused}: it refused a request without a credential, and nothing ran. Add auth.secretRef to the server in the manifest.`
    : `${refused}: it refused the secret ${secretRef}, and nothing ran. Store a value that the server accepts.`
}

/** The refusal in the cause of the client's error. */
function refusedIn(error: unknown): AddressRefused | undefined {
  if (error instanceof AddressRefused) return error
  return error instanceof Error ? refusedIn(error.cause) : undefined
}
