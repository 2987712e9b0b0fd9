import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ApiError } from '#lib/errors.ts'
import { systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { AddressRefused, openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { useSecretValue } from '#server/secrets/use-value.ts'
import { connectClient } from './mcp-client.ts'

/** One answer of a tool server; its events count each as they come. */
const maxBytes = 8 * 1024 * 1024
/** The longest silence: a tool may take this long. */
const idleMs = 600_000

/**
 * Works with a manifest's own tool server over streamable HTTP, behind the guard of outbound.ts. Every piece of work gets a
 * connection of its own: a secret that was revoked is not used again, and no server keeps a session of another call.
 * Throws ApiError when the server was not reached: then nothing was asked of it.
 */
export async function withRemoteServer<T>(
  tenant: Tenant,
  { server, url, secretRef }: { server: string; url: string; secretRef?: string },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { config, database } = runtime()
  const { origin } = new URL(url)
  const token =
    secretRef === undefined
      ? undefined
      : await database.inTenant(tenant.id, (tx) =>
          useSecretValue(tx, tenant, secretRef, { actor: systemActor, destination: origin }),
        )
  if (secretRef !== undefined && token === undefined)
    throw new ApiError('not_ready', `There is no live secret ${secretRef} for the tool server ${server}.`)
  const outbound = openOutbound({ allowed: config.allowedPrivateHosts, maxBytes, idleMs })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (address, init) => outbound.fetch(address, init),
    authProvider: token === undefined ? undefined : { token: () => Promise.resolve(token) },
  })
  try {
    const { client } = await connectClient(transport).catch((cause: unknown) => {
      const refused = refusedIn(cause)
      if (refused !== undefined) throw new ApiError('not_ready', refused.message, { cause })
      throw new ApiError('unavailable', `The tool server ${server} does not answer.`, { cause })
    })
    return await work(client)
  } finally {
    // The peer need not agree that a session ends; since 2026-07-28 there is none.
    await transport.terminateSession().catch((error: unknown) => runtime().log.debug({ err: error }, 'session'))
    await transport.close()
    await outbound.close()
  }
}

/** The client tells of it as the cause of its own error. */
function refusedIn(error: unknown): AddressRefused | undefined {
  if (error instanceof AddressRefused) return error
  return error instanceof Error ? refusedIn(error.cause) : undefined
}
