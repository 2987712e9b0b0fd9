import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { loadConfig } from './kernel/config.ts'
import { runtime } from './kernel/runtime.ts'
import { queueMail } from './mail/queue-mail.ts'
import { serve } from './serve.ts'
import { testDatabase } from './testing/database.ts'
import { drippingSmtp } from './testing/fakes/dripping-smtp.ts'
import { testTenant } from './testing/tenant.ts'

test.each([
  ['before the message', 'EHLO', 'pending'],
  ['after the message', '.', 'unknown'],
] as const)(
  'a server that stops while a mail is sent, %s, ends the sending and writes what is known of it',
  async (_when, command, delivery) => {
    const slow = await drippingSmtp(command)
    const folder = await mkdtemp(join(tmpdir(), 'cut-jobs-'))
    const database = await testDatabase()
    const config = loadConfig({
      PORT: '0',
      DATABASE_URL: database.ownerUrl,
      DATA_DIR: folder,
      SEED_DEMO: 'false',
      LOG_LEVEL: 'fatal',
      DRAIN_SECONDS: '0',
      SMTP_URL: slow.url,
    })
    const server = await serve(
      config,
      () => undefined,
      () => ({ request: (_req, res) => void res.end(), upgrade: () => 404 }),
    )
    const tenant = await testTenant(runtime())
    const { mailId } = await runtime().database.inTenant(tenant.id, (tx) =>
      queueMail(tx, tenant, {
        kind: 'approval_request',
        language: 'en',
        subjectId: tenant.id,
        recipient: 'ann@northwind.example',
        subject: 'A question',
        body: 'Please answer.',
      }),
    )
    await slow.dripping
    await server.close()
    await slow.left
    const owner = new Client({ connectionString: database.ownerUrl })
    await owner.connect()
    const { rows } = await owner.query('select delivery, attempts from mails where id = $1', [mailId])
    expect(rows).toEqual([{ delivery, attempts: 1 }])
    await owner.end()
    await database.close()
    await rm(folder, { recursive: true })
    await slow.close()
  },
)
