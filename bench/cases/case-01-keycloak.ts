import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestApi } from '#server/testing/api.ts'
import { emptyDatabase } from '#server/testing/database.ts'
import { freePort } from '#server/testing/free-port.ts'
import { keycloakFolder, keycloakNeeds, keycloakVersion } from '#server/testing/keycloak/distribution.ts'
import { type Child, startProgram } from '../child.ts'
import { type HttpCall, httpSide } from '../load.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, number, ratioFigure } from '../report.ts'
import { unlessMissing } from '../rivals.ts'
import { checkAlgorithms, ourTokenCall, secretOf, tokenCall } from './case-01-token.ts'

const job = `client-credentials token vs Keycloak ${keycloakVersion}`
const startMs = 300_000
/** The JVM compiles what a token needs while it issues the first ones; from the 24,000th on they became no cheaper (decision 0115). */
const warmUpTokens = 30_000
const warmUpLimitMs = 400_000
const warmUpSegmentMs = 5000

/** The same grant at a Keycloak in production mode, which writes an event for each token to the same PostgreSQL, as ours does. */
export const tokenOfKeycloak = (api: TestApi, apiPid: number, compare: ReturnType<typeof comparer>) =>
  unlessMissing([...keycloakNeeds, 'bash'], { case: 1, job }, async () => {
    const database = await emptyDatabase()
    const folder = await keycloakFolder(join(import.meta.dirname, '../peers/keycloak-realm.json'))
    let keycloak: Child | undefined
    try {
      const origin = `http://localhost:${await freePort()}`
      const secret = secretOf(api)
      keycloak = await startKeycloak(folder, origin, secret, new URL(database.ownerUrl))
      const theirs = tokenCall(`${origin}/realms/bench/protocol/openid-connect/token`, secret)
      await checkAlgorithms([ourTokenCall(api), theirs])
      return [await measure(database.ownerUrl, keycloak.pid, theirs, { api, apiPid, compare })]
    } finally {
      await keycloak?.stop()
      await database.close()
      await rm(folder, { recursive: true })
    }
  })

function startKeycloak(folder: string, origin: string, secret: string, database: URL): Promise<Child> {
  const { port } = new URL(origin)
  return startProgram(
    'bash',
    [
      join(folder, 'bin/kc.sh'),
      'start',
      '--db=postgres',
      // One node, so the caches need no network.
      '--cache=local',
      '--http-enabled=true',
      '--http-host=localhost',
      `--http-port=${port}`,
      `--hostname=${origin}`,
      '--import-realm',
    ],
    {
      address: `${origin}/realms/bench/.well-known/openid-configuration`,
      environment: {
        HOME: folder,
        CLIENT_SECRET: secret,
        KC_BOOTSTRAP_ADMIN_USERNAME: 'operator',
        KC_BOOTSTRAP_ADMIN_PASSWORD: randomUUID(),
        KC_DB_URL: `jdbc:postgresql://${database.host}${database.pathname}`,
        KC_DB_USERNAME: database.username,
        KC_DB_PASSWORD: decodeURIComponent(database.password),
      },
      patienceMs: startMs,
    },
  )
}

type Ours = { api: TestApi; apiPid: number; compare: ReturnType<typeof comparer> }

async function measure(databaseUrl: string, pid: number, theirs: HttpCall, ours: Ours): Promise<Figure> {
  const rows = new Client({ connectionString: databaseUrl })
  await rows.connect()
  try {
    const side = httpSide('Keycloak', [pid], true, theirs)
    let granted = 0
    const peer: Side = {
      ...side,
      async run(deadline) {
        const done = await side.run(deadline)
        granted += done
        return done
      },
    }
    const began = performance.now()
    while (granted < warmUpTokens && performance.now() - began < warmUpLimitMs)
      await peer.run(performance.now() + warmUpSegmentMs)
    const warmUp = `${number(granted)} tokens in ${Math.round((performance.now() - began) / 1000)} s`
    const result = await ours.compare(peer, httpSide('countersign', [ours.apiPid], true, ourTokenCall(ours.api)))
    const { rows: found } = await rows.query<{ events: string }>(
      `select count(*) as events from event_entity where type = 'CLIENT_LOGIN'`,
    )
    if (Number(found[0]?.events) < granted) throw new Error(`${granted} tokens, but ${found[0]?.events} events.`)
    const note = `ES256 JWTs, an event in PostgreSQL for each in both; Keycloak in production mode after a warm-up of ${warmUp}`
    return ratioFigure({ case: 1, job, rival: true, unit: '/CPU s', least: 3, note }, result)
  } finally {
    await rows.end()
  }
}
