import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { apiProgram } from './bundle.ts'
import { serverProcess } from './environment.ts'

/**
 * Starts the server of `tree`, by default of this one, without the console. `lines` collects the log. Without it, the log is
 * written to the output of the tests.
 */
export async function startProcess(
  environment: Record<string, string>,
  lines?: string[],
  tree?: string,
): Promise<{ child: ChildProcess; baseUrl: string }> {
  const program = tree === undefined ? await apiProgram() : join(tree, 'server/testing/processes/api-process.ts')
  const child = spawn(process.execPath, [...serverProcess.options, program], {
    env: { ...serverProcess.environment, ...environment },
    stdio: ['ignore', 'pipe', lines === undefined ? 'inherit' : 'pipe'],
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => lines?.push(text))
  if (child.stdout === null) throw new Error('unreachable: stdout is a pipe')
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, baseUrl] = line.split(' ')
    if (word === 'ready' && baseUrl !== undefined) return { child, baseUrl }
  }
  throw new Error('The server ended before it was ready.')
}
