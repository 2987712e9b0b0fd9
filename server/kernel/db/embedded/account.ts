import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { EmbeddedDatabaseError } from './failure.ts'

/** The account that runs PostgreSQL in place of root, which PostgreSQL refuses to run as. */
export type Account = { name: string; uid: number; gid: number }

/**
 * Options for spawning a PostgreSQL program. The environment is fixed, so that PG* and locale variables of the user
 * have no effect; every account can enter the working directory.
 */
export function spawnOptions(account: Account | undefined) {
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  // PostgreSQL does not read NODE_ENV, but Next's types require it in every environment.
  return { ...identity, cwd: '/', env: { LC_ALL: 'C', NODE_ENV: 'production' as const } }
}

/**
 * Runs a program as `account` until it exits; `output` is its output, or the reason why it could not run (`code`
 * undefined).
 */
export function run(
  program: string,
  args: string[],
  account: Account | undefined,
): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(program, args, { ...spawnOptions(account), stdio: ['ignore', 'pipe', 'pipe'] })
    const collect = (chunk: string) => {
      output += chunk
    }
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    child.on('error', (error) => resolve({ code: undefined, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? undefined, output }))
  })
}

/**
 * The account for the server processes: undefined (this user) unless this user is root; then the `owner` of the cluster
 * if that is not root, otherwise `postgres`, otherwise `nobody`. Changes nothing on the host.
 */
export async function serverAccount(owner: { uid: number; gid: number } | undefined): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  if (owner && owner.uid !== 0) return { name: `uid ${owner.uid}`, ...owner }
  return (await lookUp('postgres')) ?? (await lookUp('nobody')) ?? noAccount()
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name], undefined), run('id', ['-g', name], undefined)])
  if (uid.code !== 0 || gid.code !== 0) return undefined
  return { name, uid: Number(uid.output), gid: Number(gid.output) }
}

function noAccount(): never {
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and this machine does not have an account "postgres" or "nobody". Start as another user, or set DATABASE_URL.',
  )
}

/** Whether the server's account can enter `directory` and all folders above it: tried, not computed. */
export async function canEnter(account: Account | undefined, directory: string): Promise<boolean> {
  if (account) return (await run('/bin/sh', ['-c', 'cd "$0"', directory], account)).code === 0
  return access(directory, constants.X_OK).then(
    () => true,
    () => false,
  )
}
