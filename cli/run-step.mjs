import { spawn } from 'node:child_process'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a program under this Node and reports whether it ended well, and its output if it was captured. A signal to this process
 * ends the program first: it must not go on alone.
 */
export async function runStep(args, { cwd, env = {}, capture = false, command = process.execPath }) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
    env: { ...process.env, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  let stoppedBy
  const stop = (signal) => {
    stoppedBy = signal
    child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  for (const signal of SIGNALS) process.off(signal, stop)
  if (stoppedBy !== undefined) process.kill(process.pid, stoppedBy)
  return { ok: code === 0, output }
}
