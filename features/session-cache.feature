Feature: A cache of sessions that cannot leak
  A service keeps one memory service per session in a plain map. Sessions that end without anybody saying so
  stay in the map for as long as the process lives. The session cache takes its place.

  Background:
    Given a plan service that keeps its memory services in a session cache

  Scenario: Abandoned sessions do not stay
    When 500 sessions are used once and never closed
    And nobody touches them for longer than the idle time
    Then the cache holds no session
    And each of the 500 memory services was released exactly once
    And their memory is back in the heap

  Scenario: The cache does not grow without bound in a long-running service
    When 5000 sessions are used once within the idle time
    Then the cache holds 100 sessions at most
    And the 4900 that made room were released

  Scenario: Explicit clearing stays the canonical way out
    Given the session "42" is in the cache
    When the service clears the memory of session "42"
    Then the session is gone and its memory service was released with reason "clear_memory"
    And clearing it again does nothing

  Scenario: A session in use survives everything
    Given the session "42" is leased by a running request
    When 5000 other sessions arrive, the idle time passes and pressure asks for all memory
    Then the request still works with its memory service
    And the session leaves only after the request has ended

  Scenario: Pressure sheds the coldest sessions
    Given ten sessions of 1000 bytes each, used in the order 0 to 9
    When pressure asks for 3000 bytes
    Then 3000 bytes are freed
    And the sessions 0, 1 and 2 are gone and the others are still there

  Scenario: A session that changes its persistence is replaced safely
    Given the session "42" is leased by a running request
    When the service switches session "42" to persistent memory
    Then the new memory service is made only after the old one was released
    And the next request works with the persistent one

  Scenario: A parked session comes back with its memory
    Given the cache parks cold sessions on disk
    And the session "42" remembers "the answer"
    When the session goes cold and is wanted again
    Then it still remembers "the answer"

  Scenario: A broken teardown does not break the service
    Given memory services whose release fails, hangs or throws
    When 300 sessions come and go
    Then the cache still holds 100 sessions at most
    And every session that could not be released is reported

  Scenario: A lease that was never released is reported with its owner
    Given the session "42" is leased by "request 17" which forgets it
    When more than the lease warning time passes
    Then the report names session "42" and "request 17"
