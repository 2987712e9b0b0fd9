import { spawn } from 'node:child_process'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a program with this Node. Returns whether it succeeded, and its output if `capture` is set. A signal to this process is
 * passed on, and ends this process after the program has ended.
 */
export async function runStep(args, { cwd, env = {}, stdin = 'ignore', capture = false, command = process.execPath }) {
  const child = spawn(command, args, {
    cwd,
    stdio: [stdin, capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'],
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
