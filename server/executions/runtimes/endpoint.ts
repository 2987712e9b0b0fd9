import { systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { ofApprovedRelease, useSecretValue } from '#server/secrets/use-value.ts'

const maxBytes = 8 * 1024 * 1024

/**
 * Runs `work` with an address of an approved release, behind the guard of outbound.ts and with the tenant's secret. `idleMs`: the
 * longest silence. Throws SecretRefused, AddressRefused, NotReached, or the error of `work`.
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
          useSecretValue(tx, tenant, secretRef, { destination, sender: ofApprovedRelease(systemActor) }),
        )
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
