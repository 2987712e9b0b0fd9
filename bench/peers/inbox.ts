// Peer of case 7: bare node:http in front of one INSERT … ON CONFLICT, in the database DATABASE_URL.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
await pool.query('create table bench_inbox (identity text primary key, id uuid not null, event jsonb not null)')
const keep = {
  name: 'keep',
  text: `with kept as (insert into bench_inbox values ($1, $2, $3) on conflict do nothing returning id)
    select id, true as fresh from kept union all select id, false from bench_inbox where identity = $1`,
}
const server = createServer((req, res) => {
  let body = ''
  req.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk
  })
  req.on('end', () => {
    pool
      .query<{ id: string; fresh: boolean }>({ ...keep, values: [req.headers['idempotency-key'], randomUUID(), body] })
      .then(({ rows: [row] }) => {
        res.writeHead(202, { 'content-type': 'application/json' })
        res.end(JSON.stringify({ result: row?.fresh === true ? 'accepted' : 'duplicate', receiptId: row?.id }))
      })
      .catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`)
})
