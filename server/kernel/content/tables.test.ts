import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { contentTables } from './tables.ts'

let database: TestDatabase
let owner: Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

test('every bytea column is listed: as encrypted content, or with another purpose', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea' order by 1`,
  )
  const content = contentTables.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
  expect(content.filter((one) => !rows.some((row) => row.name === one))).toEqual([])
  expect(rows.map((row) => row.name).filter((one) => !content.includes(one))).toMatchInlineSnapshot(`
    [
      "api_key_index.key_sha256",
      "api_keys.key_sha256",
      "audit_checkpoints.root",
      "audit_days.mac",
      "audit_records.digest",
      "audit_records.leaf_hash",
      "audit_records.mac",
      "audit_records.nonce",
      "audit_seal_checkpoints.root",
      "audit_tiles.hashes",
      "audit_trees.mac",
      "batch_resources.sealed",
      "bound_adoption_leases.mac",
      "bound_adoptions.mac",
      "bound_states.digest",
      "bound_states.mac",
      "branding_images.bytes",
      "connection_token_index.token_sha256",
      "connection_tokens.token_sha256",
      "dpop_proofs.digest",
      "erasures.subject",
      "evidence_exports.manifest",
      "known_places.digest",
      "member_tokens.mac",
      "notification_channels.endpoint",
      "partial_texts.sealed",
      "passkeys.public_key",
      "realm_client_secrets.secret_sha256",
      "realm_sign_in_links.token_sha256",
      "secrets.sealed_value",
      "signing_keys.private_key",
      "spans.fingerprint",
      "telemetry_batches.leaves",
      "tenant_keys.sealed_key",
    ]
  `)
})
