import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const include = ['test/**/*.test.ts']

/** Tests that change the process they run in, or measure it, have one to themselves. */
const alone = globSync(include, { cwd: import.meta.dirname }).filter((file) =>
  /'nock'|'node:diagnostics_channel'|support\/heap\.ts|setDefault|process\.(?:env\[.+\] =|memoryUsage|on\()/.test(
    readFileSync(new URL(file, import.meta.url), 'utf8'),
  ),
)

export default defineConfig({
  test: {
    globalSetup: 'test/support/compiled-once.ts',
    setupFiles: 'test/support/seeded-properties.ts',
    // Tests start servers and measure time-outs: more processes than cores would make them late.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    slowTestThreshold: 1_000,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // All others share what their processes have loaded and warmed up.
      { extends: true, test: { name: 'together', include, exclude: alone, isolate: false } },
    ],
  },
})
