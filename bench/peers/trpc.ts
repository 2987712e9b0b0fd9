// Peer of case 2: tRPC's standalone server with one query that answers TENANT (JSON), and nothing else.
import type { AddressInfo } from 'node:net'
import { initTRPC } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { Tenant } from '#lib/schemas/tenants.ts'

const tenant = Tenant.parse(JSON.parse(process.env.TENANT ?? ''))
const t = initTRPC.create()
const router = t.router({ tenants: t.router({ current: t.procedure.query(() => tenant) }) })
const server = createHTTPServer({ router })
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`ready http://localhost:${port}/tenants.current\n`)
})
