'use client'

import { apiFetch } from '#lib/api-fetch.ts'
import { createClient } from '#lib/trpc.ts'
import { tokens } from './session.ts'

/** External id of the tenant that the person signed in to. Rejects with the client's error. */
export async function ownTenant(): Promise<string> {
  const client = createClient({ tenantExternalId: undefined, tokens, fetchApi: apiFetch(undefined, tokens) })
  return (await client.session.me.query(undefined)).tenant.externalId
}
