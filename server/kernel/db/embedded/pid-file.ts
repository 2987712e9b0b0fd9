import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './account.ts'
import { codeOf } from './failure.ts'

/**
 * A running server's main process, from PostgreSQL's `postmaster.pid`, whose sixth and later lines reflect the startup.
 */
export type Postmaster = { pid: number; port: number | undefined; status: 'ready' | 'changing' }

const PORT_LINE = 3
const STATUS_LINE = 7

/**
 * The postmaster that is running on `cluster`, or undefined. Its command line distinguishes it from a process that
 * reuses the id of a dead postmaster.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const written = await readPidFile(cluster)
  return written && (await runsOn(cluster, written.pid)) ? written : undefined
}

/**
 * The content of `postmaster.pid`, even of a dead process; undefined if the file is missing or contains no process id.
 */
export async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  const text = await readIfThere(join(cluster, 'postmaster.pid'))
  const lines = text?.split('\n') ?? []
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return {
    pid,
    port: Number(lines[PORT_LINE]) || undefined,
    status: lines[STATUS_LINE]?.trim() === 'ready' ? 'ready' : 'changing',
  }
}

async function runsOn(cluster: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { output } = await run('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], undefined)
    return output.includes(`-D ${cluster} `)
  }
  // World-readable, unlike /proc/<pid>/cwd, which root in a container without CAP_SYS_PTRACE may not read.
  const command = (await readIfThere(`/proc/${pid}/cmdline`))?.split('\0')
  return command?.[1] === '-D' && command[2] === cluster
}

/** Whether a process with this id exists, of any user. */
export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // ESRCH: the process ended after its file was opened and before it was read.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined
    throw error
  }
}
