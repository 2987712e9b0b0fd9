import { systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { useSecretValue } from '#server/secrets/use-value.ts'

const maxBytes = 8 * 1024 * 1024

/** The manifest names a secret that the tenant does not have, so the call can't be made. */
export class NoSecret extends Error {}

/**
 * Runs `work` with an address of the manifest, behind the guard of outbound.ts and with the tenant's secret. `idleMs`: the
 * longest silence. Throws NoSecret, AddressRefused, NotReached, or the error of `work`.
 */
export async function withEndpoint<T>(
  tenant: Tenant,
  { url, secretRef, idleMs }: { url: string; secretRef: string | undefined; idleMs: number },
  work: (fetch: (url: string, init: RequestInit) => Promise<Response>, headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { config, database } = runtime()
  const destination = new URL(url).origin
  const token =
    secretRef === undefined
      ? undefined
      : await database.inTenant(tenant.id, (tx) =>
          useSecretValue(tx, tenant, secretRef, { actor: systemActor, destination }),
        )
  if (secretRef !== undefined && token === undefined)
    throw new NoSecret(`The secret ${secretRef} does not exist or is no longer valid.`)
  const outbound = openOutbound({ allowed: config.allowedPrivateHosts, maxBytes, idleMs })
  try {
    return await work((address, init) => outbound.fetch(address, init), {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    })
  } finally {
    await outbound.close()
  }
}
