import { expect, test } from 'vitest'
import { sized } from '#server/testing/properties/counts.ts'
import { maxRssMb, measureExport } from './cases/case-11-memory.ts'

// An archive of any size is made and verified by a process of the same size. A gigabyte and ten, which take half an hour and
// thirty gigabytes of disk, run in `npm run proof`.

test.each(sized([1, 10], [0.05]))(
  'the process that makes an archive of %d GB, and verifies it, stays below 250 MB',
  async (gigabytes) => {
    const { processMb, payloadBytes } = await measureExport(gigabytes)
    expect(payloadBytes).toBeGreaterThan(gigabytes * 1e9 * 0.9)
    // VmHWM is the kernel's own count of the highest RSS, so no peak is missed between two readings.
    expect(processMb).toBeGreaterThan(50)
    expect(processMb).toBeLessThanOrEqual(maxRssMb)
  },
  5_400_000,
)
