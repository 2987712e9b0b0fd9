import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testEnvironment } from './environment.ts'

export type Verified = {
  status: number | null
  stdout: string
  stderr: string /** The highest RSS, by the kernel's count. */
  peakMb: number
}

const peak = 'peak of the process in kB: '

/** Runs verify.mjs of an extracted archive as its README.txt says, and measures its memory. */
export async function runVerifier(top: string, args: readonly string[]): Promise<Verified> {
  const meter = join(top, 'meter.mjs')
  await writeFile(
    meter,
    `import { readFileSync } from 'node:fs'
process.on('exit', () => process.stderr.write(\`${peak}\${/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]}\\n\`))
`,
  )
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', meter, join(top, 'verify.mjs'), ...args],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: testEnvironment },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : null
        const kilobytes = Number(stderr.split(peak)[1])
        resolve({ status, stdout, stderr: stderr.split(peak)[0] ?? '', peakMb: kilobytes / 1024 })
      },
    )
  })
}
