package starter
