Feature: A leak test tells a plain map from a cache with a bound
  A plan service keeps one memory service per session. Sessions are abandoned without a word, as clients do.
  The same test is run against the service on a plain Map, as it was, and on the session cache, as it is now.

  @expected-to-fail-on-a-plain-map
  Scenario: The service on a plain Map fails the test, for the right reason
    Given a plan service that keeps its memory services in a plain Map
    When the test repeats a session that is used once and abandoned
    Then the test fails because each session keeps one MemoryService
    And the failure names the map "memoryServices" as the holder
    And the failure says after how many sessions a heap of 512 MiB is full

  Scenario: The service on the session cache passes the same test
    Given a plan service that keeps its memory services in a session cache
    When the test repeats a session that is used once and abandoned
    Then the test passes
