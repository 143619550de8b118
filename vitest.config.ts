import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/support/compiled-once.ts',
    include: ['test/**/*.test.ts'],
    // Tests start servers and measure time-outs: more processes than cores would make them late.
    maxWorkers: 2,
    testTimeout: 20_000,
    slowTestThreshold: 1_000,
  },
})
