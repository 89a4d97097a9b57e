Feature: One model stream, many readers, bounded memory

    A reply is read once from the model and shown to several clients. They come late, they are slow, they leave;
    memory stays inside its bound and nothing is lost without being said.

    Scenario: A client that comes late sees the whole reply
        Given a reply of 20,000 text deltas in a buffer of 64 KiB
        When  one client reads along and another comes after the end
        Then  both have the same text
        And   the buffer never held more than 64 KiB

    Scenario: A slow client costs itself, not the server
        Given a reply in a buffer of 16 KiB that may not spill
        And   a client with the lag policy "drop" that does not read
        And   a client with the lag policy "disconnect" that does not read
        When  200 KiB of reply arrive
        Then  the first is told how many chunks it lost
        And   the second is cut off with "PLM_REPLAY_LAGGED"

    Scenario: The disk is full
        Given a reply in a buffer of 16 KiB whose disk is full
        And   a client with the lag policy "drop" that does not read
        When  200 KiB of reply arrive
        Then  the buffer says that it could not spill
        And   chunks read, chunks lost and chunks pushed add up

    Scenario: The user presses stop
        Given a reply that two clients read along
        When  the reply is cancelled
        Then  the model's stream is cancelled
        And   both clients get one error and then their end

    Scenario: A finished reply does not stay
        Given a finished reply that was read
        When  31 seconds pass
        Then  nothing of it is held any more
