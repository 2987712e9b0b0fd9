import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Kernel ticks per second: 100 on every Linux that Node runs on (USER_HZ). */
const ticksPerSecond = 100

type Process = { pid: number; parent: number; ticks: number }

/** A process may end between listing and reading; anything else is an error. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

/** See proc(5): the name in brackets is followed by state, parent and, from the 12th field on, utime stime cutime cstime. */
function readProcess(pid: number): Process | undefined {
  const text = readProc(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid, parent: Number(fields[1]), ticks }
}

const allProcesses = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])

/** The trees below `roots`, without the trees below `except` (the embedded PostgreSQL is a child of the process that started it). */
function treesOf(roots: readonly number[], except: readonly number[]): Process[] {
  const processes = allProcesses()
  const found = processes.filter((process) => roots.includes(process.pid))
  const taken = new Set([...roots, ...except])
  for (let more = found; more.length > 0; ) {
    const parents = new Set(more.map((process) => process.pid))
    more = processes.filter((process) => parents.has(process.parent) && !taken.has(process.pid))
    for (const process of more) taken.add(process.pid)
    found.push(...more)
  }
  return found
}

/** The process ids of the trees. */
export const treeIds = (roots: readonly number[], except: readonly number[]): number[] =>
  treesOf(roots, except).map(({ pid }) => pid)

/** CPU seconds used by the trees so far, including ended children that were waited for. Accurate to 10 ms. */
export const cpuSeconds = (roots: readonly number[], except: readonly number[]): number =>
  treesOf(roots, except).reduce((sum, process) => sum + process.ticks, 0) / ticksPerSecond

/** Current resident memory of the trees, and the sum of each process's peak, in MB. */
export function memoryMb(roots: readonly number[]): { rss: number; peak: number } {
  const sum = { rss: 0, peak: 0 }
  for (const { pid } of treesOf(roots, [])) {
    const status = readProc(`/proc/${pid}/status`) ?? ''
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
    sum.rss += kb('VmRSS') / 1024
    sum.peak += kb('VmHWM') / 1024
  }
  return sum
}

/** Current resident memory of one process, in MB; 0 if it has ended. */
export const ownMemoryMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1024

/** CPU seconds that the whole machine has spent on work. */
export function machineSeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (readProc('/proc/stat') ?? '')
    .split('\n', 1)
    .join('')
    .split(/\s+/)
    .map(Number)
  return (user + nice + system + irq + softirq) / ticksPerSecond
}

/** Whether less than 0.7 of a core is busy over one second; call it while our processes are idle. */
export async function isQuiet(): Promise<boolean> {
  const before = machineSeconds()
  const began = performance.now()
  await delay(1000)
  return (machineSeconds() - before) / ((performance.now() - began) / 1000) < 0.7
}

/** Resolves when the trees use less than a tenth of a core over half a second, that is, after their startup work. */
export async function settled(roots: readonly number[]): Promise<void> {
  const giveUp = performance.now() + 30_000
  for (let before = cpuSeconds(roots, []); ; ) {
    await delay(500)
    const now = cpuSeconds(roots, [])
    if (now - before < 0.05) return
    if (performance.now() > giveUp) throw new Error('The server did not become idle.')
    before = now
  }
}
