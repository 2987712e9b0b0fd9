import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '#server/testing/until.ts'
import { keycloakFolder } from './distribution.ts'

const admin = { username: 'operator', password: 'operator-of-this-test' }

export type Keycloak = {
  origin: string
  /** Calls Keycloak's administration: a path below the realm. */
  administer<T = unknown>(method: string, path: string, body?: unknown): Promise<T>
  close(): Promise<void>
}

/**
 * Starts a Keycloak with the realm file of docs/deploy. `settings`: the variables that the realm file names. `origin`: its address, with a port
 * that is free. `options`: further ones of its start.
 */
export async function startKeycloak(
  origin: string,
  settings: { COUNTERSIGN_REALM: string; COUNTERSIGN_URL: string },
  options: readonly string[] = [],
): Promise<Keycloak> {
  const folder = await keycloakFolder(join(import.meta.dirname, '../../../docs/deploy/keycloak-realm.json'))
  const { port } = new URL(origin)
  const child = spawn(
    'bash',
    [
      join(folder, 'bin/kc.sh'),
      'start-dev',
      '--http-host=localhost',
      `--http-port=${port}`,
      '--import-realm',
      ...options,
    ],
    {
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH ?? '',
        HOME: folder,
        KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
        ...settings,
      },
      // Keycloak's script starts Java, and both end with the group.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text))
  const realm = settings.COUNTERSIGN_REALM
  const close = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true })
  }
  try {
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`Keycloak ended: ${said.join('')}`)
        const answer = await fetch(`${origin}/realms/${realm}/.well-known/openid-configuration`).catch(() => undefined)
        return answer?.ok === true ? true : undefined
      },
      'the start of Keycloak',
      300_000,
    )
  } catch (error) {
    await close()
    throw error
  }
  return { origin, close, administer: (method, path, body) => administer(origin, realm, method, path, body) }
}

async function administer<T>(origin: string, realm: string, method: string, path: string, body?: unknown): Promise<T> {
  const granted = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...admin }),
  })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const answer = await fetch(`${origin}/admin/realms/${realm}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}
